import { openPinnedLog, type PinnedLog } from '../log/index.ts'
import { recordsBetween } from './log-records.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'

/**
 * Writes the records that were accepted before the moment and are above the positions in Postgres, for each partition.
 */
export async function dumpLog(
  pinned: PinnedLog,
  positions: ReadonlyMap<string, number>,
  write: WriteFile,
): Promise<Manifest['log']> {
  const reader = openPinnedLog(pinned)
  try {
    const dumped: Manifest['log'] = []
    for (const { name, end } of pinned.partitions) {
      const position = positions.get(name) ?? 0
      let records = 0
      const waiting = recordsBetween(reader, name, { from: position, to: end }, () => records++)
      const file = end > position ? await write(`log/${name}.records.gz`, waiting) : null
      dumped.push({ partition: name, position, records, file })
    }
    return dumped
  } finally {
    await reader.close()
  }
}
