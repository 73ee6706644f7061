import type { Nats } from './connection.ts'

/** A message as the leader of its stream has it. */
export interface StoredMessage {
  readonly seq: number
  readonly data: Buffer
}

interface Answer {
  readonly message?: { readonly seq: number; readonly data?: string }
  readonly error?: { readonly err_code: number; readonly description: string }
}

const NO_MESSAGE = 10037
const ANSWER_MS = 2_000

/** Null when it is not there. `getMessage` of the client library is the same, but decodes base64 byte by byte. */
export async function storedMessage({ connection }: Nats, stream: string, seq: number): Promise<StoredMessage | null> {
  const subject = `$JS.API.STREAM.MSG.GET.${stream}`
  const answer = await connection.request(subject, JSON.stringify({ seq }), { timeout: ANSWER_MS })
  const { message, error } = answer.json<Answer>()
  if (message) return { seq: message.seq, data: Buffer.from(message.data ?? '', 'base64') }
  if (error?.err_code === NO_MESSAGE) return null
  throw new Error(error?.description ?? 'NATS answered without a message')
}
