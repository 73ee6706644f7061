import { type Logger, pino } from 'pino'

export type { Logger }

/** Structured logs on stderr; stdout belongs to the start-up banner. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: undefined,
      redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.personal_api_key'],
    },
    pino.destination({ dest: 2, sync: false }),
  )
}
