import { isObject, stringifyJson } from '../lib/json.ts'
import type { SavedCounts } from '../transfer/index.ts'
import { askService } from './admin-client.ts'

type Stored = SavedCounts & { readonly project: number; readonly name: string }

/** Answers hold numbers too, which are not imported: without them a document is small. */
const MOST_CHARACTERS = 15_000_000

/** Sends insights and dashboards to the service, and says what became of them. */
export async function importSaved(
  documents: readonly unknown[],
  { project, data, json }: { project: number | undefined; data: string | undefined; json: boolean },
): Promise<number> {
  const total: SavedCounts = { insights: 0, dashboards: 0, known: 0, notes: [] }
  let stored: Stored | undefined
  for (const batch of batches(documents.map(withoutNumbers))) {
    stored = await askService<Stored>('POST', '/saved-content', {
      data,
      body: { documents: batch, ...(project === undefined ? {} : { project }) },
    })
    total.insights += stored.insights
    total.dashboards += stored.dashboards
    total.known += stored.known
    total.notes.push(...stored.notes)
  }
  if (!json) for (const { what, why } of total.notes) process.stderr.write(`${what}: ${why}\n`)
  console.log(json ? JSON.stringify({ project: stored?.project, ...total }) : inWords(total, stored))
  return total.notes.length === 0 ? 0 : 1
}

/** A page of a list is as many documents as it lists. */
function* batches(documents: readonly unknown[]): Generator<unknown[]> {
  let batch: unknown[] = []
  let size = 0
  for (const document of documents.flatMap(listed)) {
    const length = stringifyJson(document).length
    if (batch.length > 0 && size + length > MOST_CHARACTERS) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(document)
    size += length
  }
  yield batch
}

const listed = (document: unknown): readonly unknown[] => {
  if (Array.isArray(document)) return document
  return isObject(document) && Array.isArray(document.results) ? document.results : [document]
}

function withoutNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNumbers)
  if (!isObject(value)) return value
  const isAnswer = value.short_id !== undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isAnswer || (key !== 'result' && key !== 'types' && key !== 'hogql'))
      .map(([key, each]) => [key, withoutNumbers(each)]),
  )
}

function inWords({ insights, dashboards, known, notes }: SavedCounts, stored: Stored | undefined): string {
  const where = stored ? ` came into project ${stored.project} "${stored.name}"` : ''
  const there = known > 0 ? `, ${known} were there already` : ''
  const left = notes.length > 0 ? `; ${notes.length} things could not be carried as they were` : ''
  return `${insights} insights and ${dashboards} dashboards${where}${there}${left}.`
}
