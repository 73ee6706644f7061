import { createHash } from 'node:crypto'
import type { PageQuery } from '../../contract/envelopes.ts'
import type { Place } from '../../engines/postgres/index.ts'
import type { Call } from './context.ts'

/**
 * Connectors count offsets themselves (`limit=100&offset=200`) and take it for granted that a page begins where the one
 * before it ended. In a list whose newest row stands first, every row that arrives between two pages would push the
 * others along, and every row that is deleted would pull them back. So where a page ended is kept for a while, for each
 * key and list, and the page at that offset goes on from there. Whoever asks for an offset without having read the page
 * before it gets the rows at that offset.
 */
type Asker = Pick<Call, 'sql' | 'caller' | 'url'> & { readonly query: PageQuery }

/** Longer than a connector takes for a page. */
const KEPT_MINUTES = 10
/** Parameters that do not decide which list it is. */
const NOT_OF_THE_LIST = new Set(['limit', 'offset', 'as_of', 'format', 'personal_api_key'])

/**
 * Reads a page behind the one that the caller read before it, if there was one. `end` is where it ends, null when it is
 * not full.
 */
export async function readOn<T extends { readonly end: Place | null }>(
  call: Asker,
  read: (behind: Place | undefined) => Promise<T>,
): Promise<T> {
  const page = await read(await placeBefore(call))
  await keep(call, page.end)
  return page
}

async function placeBefore({ sql, caller, url, query: { offset } }: Asker): Promise<Place | undefined> {
  if (caller.key === null || offset === 0) return undefined
  const [kept] = await sql<{ place: string }[]>`
    SELECT place FROM list_positions
    WHERE key_id = ${caller.key.id} AND list = ${listOf(url)} AND at_offset = ${offset}
      AND kept_at > now() - make_interval(mins => ${KEPT_MINUTES})`
  return kept && (JSON.parse(kept.place) as Place)
}

/**
 * The place where the page itself began is kept as well, so that it can be asked for again. A short page is the last,
 * and then all is forgotten.
 */
async function keep({ sql, caller, url, query }: Asker, end: Place | null): Promise<void> {
  if (caller.key === null) return
  const list = listOf(url)
  const next = query.offset + query.limit
  const wanted = end === null ? [] : [query.offset, next]
  await sql`
    DELETE FROM list_positions WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM list_positions
      WHERE (key_id = ${caller.key.id} AND list = ${list} AND at_offset <> ALL(${wanted}::bigint[]))
        OR kept_at < now() - make_interval(mins => ${KEPT_MINUTES})
      LIMIT 1000 FOR UPDATE SKIP LOCKED))`
  if (end === null) return
  await sql`
    INSERT INTO list_positions (key_id, list, at_offset, place)
    VALUES (${caller.key.id}, ${list}, ${next}, ${JSON.stringify(end)})
    ON CONFLICT (key_id, list, at_offset) DO UPDATE SET place = excluded.place, kept_at = now()`
}

function listOf(url: URL): Buffer {
  const filters = [...url.searchParams].filter(([name]) => !NOT_OF_THE_LIST.has(name)).map((pair) => pair.join('='))
  return createHash('sha256')
    .update([url.pathname.replace(/\/$/, ''), ...filters.sort()].join('&'))
    .digest()
}
