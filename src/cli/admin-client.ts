import http from 'node:http'
import { adminSocketPath, loadConfig } from '../service/index.ts'

/** Asks the running service through its socket in the data folder. */
export async function askService<T>(
  method: 'GET' | 'POST',
  path: string,
  options: { data?: string | undefined; body?: unknown } = {},
): Promise<T> {
  const { data } = loadConfig({ argv: options.data === undefined ? [] : ['--data', options.data] })
  const socketPath = await adminSocketPath(data)
  const { status, text } = await exchange(socketPath, method, path, options.body).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED') throw error
      throw new Error(`no service is running on ${data}. Start it with \`npm start\`, or name its folder with --data.`)
    },
  )
  const answer = JSON.parse(text)
  if (status >= 400) throw new Error(answer.attr ? `${answer.attr}: ${answer.detail}` : answer.detail)
  return answer as T
}

function exchange(
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath, method, path, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
