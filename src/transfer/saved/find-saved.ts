/** Tells files of insights and dashboards from files of events by their first bytes. */
import { parseJson } from '../../lib/json.ts'
import { looksSaved } from './read-saved.ts'

const LOOKED_AT = 64 * 1024
const MOST_CHARACTERS = 100_000_000

export type File =
  | { readonly kind: 'saved'; readonly documents: readonly unknown[] }
  | { readonly kind: 'events'; readonly parts: AsyncIterable<string> }

export async function openFile(parts: AsyncIterable<string>): Promise<File> {
  const iterator = parts[Symbol.asyncIterator]()
  let held = ''
  let hasEnded = false
  const readTo = async (most: number): Promise<void> => {
    while (!hasEnded && held.length < most) {
      const { value, done } = await iterator.next()
      if (done) hasEnded = true
      else held += value
    }
  }
  await readTo(LOOKED_AT)
  if (looksSaved(held.slice(0, LOOKED_AT))) {
    await readTo(MOST_CHARACTERS)
    const documents = hasEnded ? documentsIn(held) : undefined
    if (documents) return { kind: 'saved', documents }
  }
  return {
    kind: 'events',
    parts: (async function* () {
      yield held
      if (!hasEnded) yield* { [Symbol.asyncIterator]: () => iterator }
    })(),
  }
}

/** One document, or one on each line. */
function documentsIn(text: string): unknown[] | undefined {
  const clean = text.replace(/^\uFEFF/, '').trim()
  try {
    return [parseJson(clean)]
  } catch {
    try {
      return clean.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseJson(line)]))
    } catch {
      return undefined
    }
  }
}
