import type { RecordingsContext } from './find.ts'

export async function sessionsOfActors(_context: RecordingsContext, _source: unknown): Promise<string[]> {
  return []
}
