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
}

export async function burst(
  port: number,
  request: (turn: number) => Buffer,
  options: { connections: number; seconds: number },
): Promise<Burst> {
  const latencies: number[] = []
  let failures = 0
  let turn = 0
  const began = performance.now()
  const until = began + options.seconds * 1000
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const socket = net.connect(port, '127.0.0.1').setNoDelay(true)
      const answers = answersOf(socket)
      while (performance.now() < until) {
        const sentAt = performance.now()
        socket.write(request(turn++))
        const status = await answers.next()
        if (status === null) break
        if (status !== 200) failures += 1
        latencies.push(performance.now() - sentAt)
      }
      socket.destroy()
    }),
  )
  return { requests: latencies.length, seconds: (performance.now() - began) / 1000, failures, latenciesMs: latencies }
}

/** Just enough HTTP: status line and content length. */
function answersOf(socket: net.Socket): { next(): Promise<number | null> } {
  let pending = Buffer.alloc(0)
  let waiting: ((status: number | null) => void) | null = null
  const look = () => {
    const end = pending.indexOf('\r\n\r\n')
    if (end < 0 || !waiting) return
    const head = pending.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (pending.length < end + 4 + length) return
    pending = pending.subarray(end + 4 + length)
    const answer = waiting
    waiting = null
    answer(Number(head.slice(9, 12)))
  }
  socket.on('data', (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data])
    look()
  })
  const gone = () => {
    waiting?.(null)
    waiting = null
  }
  socket.on('error', gone).on('close', gone)
  return {
    next: () =>
      new Promise((resolve) => {
        waiting = resolve
        look()
      }),
  }
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
