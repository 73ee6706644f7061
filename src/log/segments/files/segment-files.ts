import { randomInt } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { decodeHeader, encodeHeader, MAX_HEADER_BYTES, type SegmentHeader } from '../format/segment-header.ts'

/**
 * Segment files are named by their base, with enough digits for every safe integer, so that names sort like positions.
 */
const NAME = /^(\d{16})\.segment$/
const SET_ASIDE = /^(\d{16})\.segment\.damaged$/
const UNFINISHED = '.segment.new'

export const segmentFile = (dir: string, base: number): string =>
  path.join(dir, `${String(base).padStart(16, '0')}.segment`)

/** Bases of all segments, ascending. */
export const listSegments = (dir: string): Promise<number[]> => listBases(dir, NAME)

/** Bases of the segments that were set aside. Their positions stay taken. */
export const listSetAside = (dir: string): Promise<number[]> => listBases(dir, SET_ASIDE)

/** Takes an unreadable segment out of the log, and keeps the file for an examination. */
export const setAside = (dir: string, base: number): Promise<void> =>
  rename(segmentFile(dir, base), `${segmentFile(dir, base)}.damaged`)

async function listBases(dir: string, pattern: RegExp): Promise<number[]> {
  const names = await readdir(dir)
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

interface NewSegment {
  readonly file: FileHandle
  readonly header: SegmentHeader
  readonly dataStart: number
}

/**
 * Creates a segment with a durable header. It gets its name only when the header is on disk, so a file with a segment's
 * name always had an intact header; `removeUnfinished` removes what an interrupted creation leaves behind.
 */
export async function createSegment(dir: string, fields: Omit<SegmentHeader, 'salt'>): Promise<NewSegment> {
  const header: SegmentHeader = { ...fields, salt: randomInt(2 ** 32) }
  const bytes = encodeHeader(header)
  const final = segmentFile(dir, header.base)
  const unfinished = path.join(dir, `${path.basename(final, '.segment')}${UNFINISHED}`)
  const file = await open(unfinished, 'w+')
  try {
    await file.write(bytes, 0, bytes.length, 0)
    await file.sync()
    await rename(unfinished, final)
    await syncFolder(dir)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(unfinished, { force: true }).catch(() => {})
    throw error
  }
  return { file, header, dataStart: bytes.length }
}

export async function removeUnfinished(dir: string): Promise<void> {
  for (const name of await readdir(dir)) if (name.endsWith(UNFINISHED)) await rm(path.join(dir, name), { force: true })
}

export async function readHeader(file: FileHandle): Promise<ReturnType<typeof decodeHeader>> {
  const bytes = Buffer.alloc(MAX_HEADER_BYTES)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  return decodeHeader(bytes.subarray(0, bytesRead))
}

export const deleteSegment = (dir: string, base: number): Promise<void> => rm(segmentFile(dir, base), { force: true })

/** A new file name is durable only after its folder is synced. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
