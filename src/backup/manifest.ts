import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { markOf } from './packed-file.ts'

/** The manifest of a backup. Written last: a folder without it is not a backup. */
const FILE = 'manifest.json'
const FORMAT = 'footfall backup'
const VERSION = 1

const CONTENT = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  footfall: z.string(),
  /** The time of the backup's content. */
  taken_at: z.string(),
  postgres: z.object({
    server: z.string(),
    migrations: z.array(z.number()),
    /** In an order in which they can be loaded. */
    tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number(), file: z.string() })),
    sequences: z.array(z.object({ name: z.string(), value: z.number() })),
  }),
  clickhouse: z.object({
    server: z.string(),
    migrations: z.array(z.number()),
    tables: z.array(
      z.object({
        name: z.string(),
        pieces: z.array(z.object({ partition: z.string(), rows: z.number(), file: z.string() })),
      }),
    ),
  }),
  /** Records that were accepted and not yet applied. */
  log: z.array(
    z.object({ partition: z.string(), position: z.number(), records: z.number(), file: z.string().nullable() }),
  ),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
})

export type Manifest = z.output<typeof CONTENT>
export type ManifestContent = Omit<Manifest, 'format' | 'version'>

/** Why a folder cannot be used as a backup, in words for the user. */
export class NoBackup extends Error {
  override name = 'NoBackup'
}

export async function writeManifest(folder: string, content: ManifestContent): Promise<void> {
  const manifest: Manifest = { format: FORMAT, version: VERSION, ...content }
  const text = JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)
  const file = await open(path.join(folder, FILE), 'wx')
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(path.join(folder, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new NoBackup(
      error.code === 'ENOENT' || error.code === 'ENOTDIR'
        ? `${folder} is not a backup, or one that was not finished: it has no ${FILE}.`
        : `${folder} cannot be read: ${error.message}`,
    )
  })
  const { checksum, ...content } = parse(folder, text)
  if (content.format !== FORMAT) throw new NoBackup(`${folder} holds something else than a backup of Footfall.`)
  if (content.version !== VERSION)
    throw new NoBackup(
      `${folder} was made by another Footfall, in version ${content.version} of the form; this one reads version ${VERSION}.`,
    )
  const read = CONTENT.safeParse(content)
  if (!read.success || checksumOf(content) !== checksum)
    throw new NoBackup(`${folder}/${FILE} was changed or damaged since the backup was made. Use another copy of it.`)
  return read.data
}

/** Throws unless every file exists and is unchanged. Calls `onBytes` with how much has been read. */
export async function verifyFiles(
  folder: string,
  { files }: Manifest,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> {
  for (const [name, { bytes, sha256 }] of Object.entries(files)) {
    const found = await markOf(path.join(folder, name)).catch((error: Error) => {
      throw new NoBackup(`${name} of the backup cannot be read: ${error.message}`)
    })
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new NoBackup(
        `${name} is not as it was written (${found.bytes} bytes, ${bytes} expected): the backup is damaged. Nothing was restored; use another copy of it.`,
      )
    onBytes(bytes)
  }
}

function parse(folder: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw new NoBackup(`${folder}/${FILE} is damaged: it is not JSON. Use another copy of the backup.`)
  }
}

const checksumOf = (content: object): string => createHash('sha256').update(JSON.stringify(content)).digest('hex')
