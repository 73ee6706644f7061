/** An actors query to a page of actors: ids only; who they are today is for the caller to look up. */

import type { ActorsSource } from '../../contract/queries/index.ts'
import { sql } from '../../engines/clickhouse-sql.ts'
import { groupBy } from '../../lib/group-by.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { actorsWithinCohort } from '../definitions/by-cohort.ts'
import { NO_DEFINITIONS } from '../definitions/definitions.ts'
import { withActions } from '../definitions/fill-actions.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { gatherFacts } from '../facts/gather.ts'
import { kindOf } from '../kinds/table.ts'
import { type ActorPageOptions, type ActorSelection, actorPage } from '../sql/actors.ts'
import { type Asked, StatementRunner } from './statement-runner.ts'

export interface Actor {
  /** The person's uuid, or the group's key. */
  readonly id: string
  readonly eventCount: number
  /** Sessions in which the matched events happened: which recordings show them. */
  readonly recordings: readonly {
    readonly session_id: string
    readonly events: readonly { readonly uuid: string; readonly timestamp: string; readonly window_id: string }[]
  }[]
}

export interface ActorsAnswer {
  readonly actors: readonly Actor[]
  readonly groupIndex: number | undefined
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
  readonly asked: readonly Asked[]
}

interface Row {
  readonly actor: string
  readonly event_count: number
  readonly matches: readonly (readonly [uuid: string, timestamp: string, session: string, window: string])[]
}

export async function runActors(
  context: InsightContext,
  source: ActorsSource,
  page: ActorPageOptions,
  options: RunOptions = {},
): Promise<ActorsAnswer> {
  const runner = new StatementRunner(context.clickhouse, options.signal)
  const selection = await selectionOf(context, asDefined(context, source), runner)
  const rows = await runner.ask<Row>(actorPage(selection, page))
  return {
    actors: rows.slice(0, page.limit).map(actorOf),
    groupIndex: selection.groupIndex,
    hasMore: rows.length > page.limit,
    ...page,
    asked: runner.asked,
  }
}

/** All of them, and nothing else about them. Groups have none of the ids that are meant. */
export async function personsBehind(
  context: InsightContext,
  source: ActorsSource,
  options: RunOptions = {},
): Promise<string[]> {
  const runner = new StatementRunner(context.clickhouse, options.signal)
  const { statement, groupIndex } = await selectionOf(context, asDefined(context, source), runner)
  if (groupIndex !== undefined) throw new InvalidQuery('Behind this number are groups, not persons.', ['query'])
  const rows = await runner.ask<{ actor: string }>(sql`SELECT toString(actor) AS actor FROM (
${statement}
)`)
  return rows.map(({ actor }) => actor)
}

/** With the project's actions filled in, and of a breakdown by cohorts only the one that is meant. */
const asDefined = ({ definitions = NO_DEFINITIONS }: InsightContext, source: ActorsSource): ActorsSource =>
  actorsWithinCohort(withActions(source, definitions), definitions)

async function selectionOf(
  context: InsightContext,
  query: ActorsSource,
  runner: StatementRunner,
): Promise<ActorSelection> {
  const { actors, planned, patterns } = kindOf(query.source.kind)
  const select = actors[query.kind]
  if (select === undefined) {
    const others = Object.keys(actors).join(' or a ')
    throw new InvalidQuery(`The actors of a ${query.source.kind} are asked for with a ${others}.`, ['source'])
  }
  const facts = await gatherFacts(planned(query.source), context, runner, patterns?.(query.source))
  return select(query, facts, runner)
}

const actorOf = (row: Row): Actor => ({
  id: row.actor,
  eventCount: row.event_count,
  recordings: [...groupBy(row.matches, ([, , session]) => session)]
    .filter(([session]) => session !== '')
    .map(([session_id, matches]) => ({
      session_id,
      events: matches.map(([uuid, timestamp, , window_id]) => ({
        uuid,
        timestamp: `${timestamp.replace(' ', 'T')}Z`,
        window_id,
      })),
    })),
})
