import http, { type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { adminSocketPath, loadConfig } from '../service/index.ts'

/** Calls the running service through its socket in the data folder. */
export async function askService<T>(
  method: 'GET' | 'POST',
  path: string,
  options: { data?: string | undefined; body?: unknown } = {},
): Promise<T> {
  const response = await open(method, path, options)
  return answerOf<T>(response, await textOf(response))
}

/** Sends events to the capture paths of the admin socket. Retries while the service is overloaded. */
export async function captureFromService(body: string, options: { data?: string | undefined } = {}): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await open('POST', '/batch/', { ...options, text: body })
    const text = await textOf(response)
    if (response.statusCode === 200) return
    if ((response.statusCode ?? 500) < 500 || attempt === CAPTURE_TRIES) return answerOf(response, text)
    await delay(1_000 * Number(response.headers['retry-after'] ?? 1))
  }
}

/** With the pauses that the service asks for, a quarter of an hour or more in total. */
const CAPTURE_TRIES = 200

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response) text += part
  return text
}

/** The first line of a response that stays open: the service holds something for us until `release`. */
export async function holdFromService<T>(
  path: string,
  options: { data?: string | undefined } = {},
): Promise<{ held: T; gone: Promise<void>; release(): void }> {
  const response = await open('POST', path, { ...options, body: {} })
  let text = ''
  const gone = new Promise<void>((done) => response.once('close', done))
  await new Promise<void>((done, fail) => {
    response.on('data', (part: string) => {
      text += part
      if (text.endsWith('\n')) done()
    })
    response.once('end', done)
    response.once('error', fail)
  })
  return { held: answerOf<T>(response, text), gone, release: () => response.destroy() }
}

function answerOf<T>({ statusCode = 0 }: IncomingMessage, text: string): T {
  const answer = JSON.parse(text)
  if (statusCode >= 400) throw new Error(answer.attr ? `${answer.attr}: ${answer.detail}` : answer.detail)
  return answer as T
}

async function open(
  method: string,
  path: string,
  options: { data?: string | undefined; body?: unknown; text?: string },
): Promise<IncomingMessage> {
  const { data } = loadConfig({ argv: options.data === undefined ? [] : ['--data', options.data] })
  const socketPath = await adminSocketPath(data)
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path, headers }, (response) =>
      resolve(response.setEncoding('utf8')),
    )
    request.on('error', (error: NodeJS.ErrnoException) => {
      const nobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
      const words = `no service is running on ${data}. Start it with \`npm start\`, or name its folder with --data.`
      reject(nobody ? new Error(words) : error)
    })
    request.end(options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body)))
  })
}
