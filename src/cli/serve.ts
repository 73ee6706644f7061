import { createLogger } from '../lib/logger.ts'
import { banner, loadConfig, startService, tuneRuntime } from '../service/index.ts'

const STOP_WITHIN_MS = 9_500

/** Runs the service in the foreground until SIGTERM or SIGINT. */
export const serve = {
  usage: 'serve [--port 8000] [--host 127.0.0.1] [--data ./data] [--provision FILE] ...',
  run: async (args: string[]): Promise<number> => {
    const config = loadConfig({ argv: args })
    const log = createLogger(config.log_level)
    tuneRuntime()
    const asked = new Promise<void>((stop) => {
      // Not `once`: a second one would end the process at once, and Ctrl-C comes twice (from the terminal and from npm).
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop())
    })
    // If a part hangs, exit before a supervisor kills us: accepted events are on disk either way.
    asked.then(() => setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref())
    // Stdout may be closed by now: then the banner is lost, and the service keeps running.
    process.stdout.on('error', () => {})
    const service = await startService(config, log)
    console.log(banner(config, service.secrets))
    await asked
    log.info('stopping')
    await service.stop()
    log.info('stopped')
    return 0
  },
}
