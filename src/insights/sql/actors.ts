/**
 * Who stands behind a number. Each insight answers with a statement of actors; paging, ordering and what was matched
 * are the same for all. A statement of actors has one row an actor: actor (String), event_count, and matches, up to 100
 * of the events that made it count.
 */
import { type Fragment, propertyOf, sql, uint } from '../../engines/clickhouse-sql.ts'

export interface ActorSelection {
  readonly statement: Fragment
  /** Actors are groups of this type; persons when undefined. */
  readonly groupIndex: number | undefined
}

/** Tuple of an event as `matches` holds it: uuid, timestamp, session id, window id. */
export const matchedEvent = sql`(toString(e.uuid), toString(e.timestamp), e.session_id, ifNull(${propertyOf(sql`e.props`, '$window_id')}, ''))`

/** The columns beside `actor` for a statement over events grouped by actor. */
export const matchColumns = sql`count() AS event_count, groupArray(100)(${matchedEvent}) AS matches`

export interface ActorPageOptions {
  readonly limit: number
  readonly offset: number
}

/** One actor more than asked for tells whether there are more. */
export const actorPage = ({ statement }: ActorSelection, { limit, offset }: ActorPageOptions): Fragment => sql`
SELECT toString(actor) AS actor, event_count, matches
FROM (
${statement}
)
ORDER BY event_count DESC, actor
LIMIT ${uint(limit + 1)} OFFSET ${uint(offset)}`
