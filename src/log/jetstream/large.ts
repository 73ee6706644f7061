import { randomUUID } from 'node:crypto'
import { HOUR } from '../../lib/durations.ts'
import type { Position } from '../port.ts'
import type { Nats } from './connection.ts'
import { deleteMessages } from './delete-messages.ts'
import { decodeMessage, encodeReference, type LargeReference } from './message.ts'
import { LARGE_STREAM, largeSubject, streamOf } from './names.ts'
import { positionOf } from './places.ts'
import { storedMessage } from './stored-message.ts'

/**
 * Records that do not fit into a message. Their bytes are cut into pieces, which are stored first, in a stream of their
 * own; then one message in the partition refers to them, and with it the records are appended. If the writer crashes in
 * between, the pieces have no message and are deleted later. When the message is released its pieces are deleted.
 */
const AT_ONCE = 4
/** A writer gives up long before this; older pieces without a message never get one. */
const ABANDONED_MS = HOUR

/** `since`: when its records were accepted, now unless told. */
export type Publish = (subject: string, body: Uint8Array, since?: number) => Promise<number>

export async function storeLarge(
  publish: Publish,
  partition: string,
  body: Buffer,
  pieceBytes: number,
): Promise<Buffer> {
  const id = randomUUID()
  const starts = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, i) => i * pieceBytes)
  const sequences: number[] = []
  for (let i = 0; i < starts.length; i += AT_ONCE)
    sequences.push(
      ...(await Promise.all(
        starts
          .slice(i, i + AT_ONCE)
          .map((start) => publish(largeSubject(partition, id), body.subarray(start, start + pieceBytes))),
      )),
    )
  return encodeReference({ id, sequences, bytes: body.length })
}

/** The records that a reference names. */
export async function loadLarge(nats: Nats, { sequences, bytes }: LargeReference): Promise<Buffer[]> {
  const pieces: Uint8Array[] = []
  for (let i = 0; i < sequences.length; i += AT_ONCE)
    pieces.push(
      ...(await Promise.all(
        sequences.slice(i, i + AT_ONCE).map(async (seq) => {
          const message = await storedMessage(nats, LARGE_STREAM, seq)
          if (message === null) throw new MissingPiece(`piece ${seq} of a large record is not there`)
          return message.data
        }),
      )),
    )
  const body = Buffer.concat(pieces)
  const decoded = body.length === bytes ? decodeMessage(body) : null
  if (decoded === null || !('records' in decoded)) throw new RangeError('the pieces of a large record do not fit')
  return decoded.records
}

export class MissingPiece extends Error {
  override name = 'MissingPiece'
}

export const deletePieces = (nats: Nats, sequences: readonly number[]): Promise<void> =>
  deleteMessages(nats, LARGE_STREAM, sequences.values())

/**
 * Deletes the unused pieces of a partition: those of a writer that crashed before it sent the message, those of a
 * reader that crashed before it deleted them, and those that were stored twice. Pieces are stored shortly before their
 * message, so pieces much older than the oldest message have none.
 */
export async function sweepLarge(nats: Nats, partition: string): Promise<number> {
  const { streams } = nats.manager
  const partitionState = (await streams.info(streamOf(partition))).state
  const oldest = partitionState.messages > 0 ? Date.parse(partitionState.first_ts) : Date.now()
  const { state } = await streams.info(LARGE_STREAM, { subjects_filter: largeSubject(partition, '*') })
  let swept = 0
  for (const subject of Object.keys(state.subjects ?? {})) {
    let last = await streams.getMessage(LARGE_STREAM, { last_by_subj: subject })
    if (last === null || oldest - last.time.getTime() < ABANDONED_MS) continue
    for (; last !== null; last = await streams.getMessage(LARGE_STREAM, { last_by_subj: subject }))
      await deletePieces(nats, [last.seq])
    swept += 1
  }
  return swept
}

/** The large records that a reader has read and must delete when they are released. */
export class LargeRead {
  readonly #read: { readonly sequence: number; readonly pieces: readonly number[] }[] = []

  add(sequence: number, pieces: readonly number[]): void {
    this.#read.push({ sequence, pieces })
  }

  /** Removes and returns the pieces of those before a position. */
  takeBefore(position: Position): (readonly number[])[] {
    const taken: (readonly number[])[] = []
    while (this.#read[0] && positionOf(this.#read[0].sequence + 1) <= position)
      taken.push(this.#read.shift()?.pieces as readonly number[])
    return taken
  }
}
