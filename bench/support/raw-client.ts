import net from 'node:net'

/**
 * As many requests as the server takes, over plain sockets: the client must cost little, or both servers would look alike.
 * Each connection sends the next request when the answer to the last has arrived.
 */
export interface Burst {
  readonly requests: number
  readonly seconds: number
  readonly failures: number
  readonly latenciesMs: readonly number[]
  /** CPU that the client itself took for a request. */
  readonly clientMicros: number
}

export async function burst(
  port: number,
  request: (turn: number) => Buffer,
  /** `perSecond`: no more than so many, evenly; a latency then counts from when the request was due. */
  options: { connections: number; seconds: number; perSecond?: number },
): Promise<Burst> {
  const latencies: number[] = []
  let failures = 0
  let turn = 0
  const began = performance.now()
  const until = began + options.seconds * 1000
  const before = process.cpuUsage()
  const client = () =>
    new Promise<void>((done) => {
      const socket = net.connect(port, '127.0.0.1').setNoDelay(true)
      let sentAt = 0
      const send = () => {
        const now = performance.now()
        const mine = turn++
        const due = options.perSecond === undefined ? now : began + (mine / options.perSecond) * 1000
        if (Math.max(now, due) >= until) return void socket.destroy()
        sentAt = due
        if (due <= now) socket.write(request(mine))
        else setTimeout(() => socket.write(request(mine)), due - now)
      }
      onAnswer(socket, (ok) => {
        if (!ok) failures += 1
        latencies.push(performance.now() - sentAt)
        send()
      })
      socket.once('connect', send).once('close', done)
    })
  await Promise.all(Array.from({ length: options.connections }, client))
  const { user, system } = process.cpuUsage(before)
  return {
    requests: latencies.length,
    seconds: (performance.now() - began) / 1000,
    failures,
    latenciesMs: latencies,
    clientMicros: (user + system) / latencies.length,
  }
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LENGTH = /content-length: (\d+)/i

/** Just enough HTTP: status and content length. One request at a time, so that an answer is all that arrives. */
function onAnswer(socket: net.Socket, answered: (ok: boolean) => void): void {
  let pending: Buffer | null = null
  socket.on('data', (data) => {
    pending = pending === null ? data : Buffer.concat([pending, data])
    const end = pending.indexOf(END_OF_HEAD)
    if (end < 0) return
    const head = pending.toString('latin1', 0, end)
    if (pending.length < end + 4 + Number(LENGTH.exec(head)?.[1] ?? 0)) return
    pending = null
    answered(head.startsWith('200', 9))
  })
  socket.on('error', () => socket.destroy())
}

export const post = (path: string, body: string | Buffer, headers = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

export const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? 0
