import type { ServerResponse } from 'node:http'

const CODE = /^Code: (\d+)\./
/** Errors that ClickHouse answers with a status other than 500. */
const STATUS: Record<number, number> = { 62: 400, 36: 400, 456: 400, 60: 404, 81: 404, 516: 403, 202: 503, 307: 413 }

/** Ends a response with an error in ClickHouse's format, or cuts it off when a part of the result was already sent. */
export function answerError(response: ServerResponse, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  const message = CODE.test(text) ? text : `Code: 1002. DB::Exception: ${text}. (UNKNOWN_EXCEPTION)`
  if (response.destroyed || response.writableEnded) return
  if (response.headersSent) return void endWithException(response, message)
  const code = Number(CODE.exec(message)?.[1])
  response
    .writeHead(STATUS[code] ?? 500, {
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Exception-Code': code,
      // Unread bytes of this request would come before the next one on the connection, which would then wait for ever.
      ...(response.req.readableEnded ? {} : { Connection: 'close' }),
    })
    .end(`${message}\n`)
}

export const EXCEPTION_TAG = 'footfallcut00000'

/** How ClickHouse >= 25.11 reports an error inside a result. */
function endWithException(response: ServerResponse, message: string): void {
  const body = `${message}\n`
  response.end(
    `\r\n__exception__\r\n${EXCEPTION_TAG}\r\n${body}${Buffer.byteLength(body)} ${EXCEPTION_TAG}\r\n__exception__\r\n`,
  )
}

export const summary = (figures: Record<string, number>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(Math.round(value))])))
