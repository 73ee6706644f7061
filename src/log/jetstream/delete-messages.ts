import type { Nats } from './connection.ts'
import { isNoMessage } from './failure.ts'

/**
 * Deletes messages, with a request for each. A purge is one request for all of them, but a server of version 2.9 that
 * crashes afterwards repeats it when it starts, and then deletes everything up to the message that was the last one
 * when the purge was asked for, read or not.
 */
const AT_ONCE = 16

export async function deleteMessages(
  { manager }: Nats,
  stream: string,
  sequences: IterableIterator<number>,
): Promise<void> {
  const deleteNext = async () => {
    for (const seq of sequences)
      await manager.streams.deleteMessage(stream, seq, false).catch((error: unknown) => {
        if (!isNoMessage(error)) throw error
      })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, deleteNext))
}

/** Deletes the messages before a number. */
export async function deleteBefore(nats: Nats, stream: string, end: number): Promise<void> {
  const { first_seq, last_seq } = (await nats.manager.streams.info(stream)).state
  await deleteMessages(nats, stream, numbers(Math.max(first_seq, 1), Math.min(end, last_seq + 1)))
}

function* numbers(first: number, end: number): IterableIterator<number> {
  for (let number = first; number < end; number++) yield number
}
