import { openPinnedLog, type PinnedLog } from '../log/index.ts'
import { recordsBetween } from './log-records.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'

/** What was accepted before the moment and stands behind the positions of Postgres, partition by partition. */
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
