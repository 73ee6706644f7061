/** Keeps insights and dashboards of another service in a project. What is there already stays as it is. */
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import {
  addTile,
  changeTiles,
  createDashboard,
  type ForeignInsight,
  importedDashboard,
  keepForeignInsight,
  nodeOfLegacyFilter,
  noteImported,
  readQuery,
  wrongInOverride,
} from '../../insights/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { Json } from '../../lib/json.ts'
import type { SavedThing, SavedTile } from './read-saved.ts'
import { type Named, renumbered } from './references.ts'

export interface SavedCounts {
  insights: number
  dashboards: number
  /** Insights and dashboards that were there already. */
  known: number
  /** What could not be carried, and why. */
  notes: { what: string; why: string }[]
}

/** All or nothing, so that an import that was cut off is simply started again. */
export async function storeSaved(sql: Sql, project: number, things: readonly SavedThing[]): Promise<SavedCounts> {
  const counts: SavedCounts = { insights: 0, dashboards: 0, known: 0, notes: [] }
  await sql.begin(async (tx) => {
    // Two imports at the same time come one after the other.
    await tx`SELECT 1 FROM projects WHERE id = ${project} FOR UPDATE`
    const user = await firstMember(tx, project)
    const keeper = new Keeper(tx, project, user, await namesOf(tx, project), counts)
    for (const thing of things) await keeper.keep(thing)
  })
  return counts
}

class Keeper {
  readonly #tx: TransactionSql
  readonly #project: number
  readonly #user: number
  readonly #named: Named
  readonly #counts: SavedCounts

  constructor(tx: TransactionSql, project: number, user: number, named: Named, counts: SavedCounts) {
    this.#tx = tx
    this.#project = project
    this.#user = user
    this.#named = named
    this.#counts = counts
  }

  async keep(thing: SavedThing): Promise<void> {
    if (thing.kind === 'insight') await this.#insight(thing.insight)
    else if (thing.kind === 'dashboard') await this.#dashboard(thing)
    else this.#counts.notes.push({ what: thing.what, why: thing.why })
  }

  #note(what: string, why: string): void {
    this.#counts.notes.push({ what, why })
  }

  async #insight(foreign: ForeignInsight): Promise<number> {
    const what = `insight ${JSON.stringify(foreign.fields.name || foreign.fields.derived_name || foreign.shortId || '')}`
    const [query, filters] = [foreign.fields.query ?? null, foreign.fields.filters ?? {}].map((each) =>
      renumbered(each as Json, this.#named),
    ) as [ReturnType<typeof renumbered>, ReturnType<typeof renumbered>]
    const fields = { ...foreign.fields, query: query.document, filters: filters.document }
    const { id, known } = await keepForeignInsight(this.#tx, this.#project, this.#user, { ...foreign, fields })
    if (known) {
      this.#counts.known += 1
      return id
    }
    this.#counts.insights += 1
    for (const why of [...query.notes, ...filters.notes]) this.#note(what, why)
    const wrong = unanswerable(fields.query, fields.filters)
    if (wrong !== null) this.#note(what, `it is kept, but cannot be answered: ${wrong}`)
    return id
  }

  async #dashboard(thing: Extract<SavedThing, { kind: 'dashboard' }>): Promise<void> {
    const { from, name, description, pinned, tags, tiles } = thing
    const what = `dashboard ${JSON.stringify(name)}`
    const before = await importedDashboard(this.#tx, this.#project, from)
    if (before) this.#counts.known += 1
    else this.#counts.dashboards += 1
    const id = before?.id ?? (await this.#newDashboard(thing, { name, description, pinned, tags }, what))
    for (const tile of tiles) await this.#tile(id, tile, before !== undefined)
    if (!before) for (const why of thing.notes) this.#note(what, why)
  }

  async #newDashboard(
    { from, filters }: Extract<SavedThing, { kind: 'dashboard' }>,
    fields: { name: string; description: string; pinned: boolean; tags: readonly string[] },
    what: string,
  ): Promise<number> {
    const { document, notes } = renumbered(filters, this.#named)
    const wrong = wrongInOverride(document)
    const { id } = await createDashboard(this.#tx, this.#project, this.#user, {
      ...fields,
      filters: wrong ? {} : document,
    })
    await noteImported(this.#tx, id, from)
    for (const why of notes) this.#note(what, why)
    if (wrong) this.#note(what, `its filters were left out: ${wrong.message}`)
    return id
  }

  /** Texts have nothing to be found by: those of a dashboard that was there stay as they are. */
  async #tile(dashboard: number, { insight, text, layouts, color }: SavedTile, isKnown: boolean): Promise<void> {
    if (insight) await addTile(this.#tx, dashboard, await this.#insight(insight), { layouts, color })
    else if (text !== null && !isKnown)
      await changeTiles(this.#tx, dashboard, [{ text: { body: text }, layouts, color }])
  }
}

/** What is wrong with a question, or null when it can be asked. */
function unanswerable(query: Json, filters: Json): string | null {
  try {
    readQuery(query ?? nodeOfLegacyFilter(filters))
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

async function namesOf(tx: TransactionSql, project: number): Promise<Named> {
  const named = (rows: readonly { id: number; name: string | null }[]) =>
    new Map(rows.map(({ id, name }) => [(name ?? '').toLowerCase(), id]))
  return {
    actions: named(
      await tx`SELECT id, name FROM actions WHERE project_id = ${project} AND NOT deleted ORDER BY id DESC`,
    ),
    cohorts: named(
      await tx`SELECT id, name FROM cohorts WHERE project_id = ${project} AND NOT deleted ORDER BY id DESC`,
    ),
  }
}

/** Whoever joined first owns what is imported: there is nobody behind the command line. */
async function firstMember(tx: TransactionSql, project: number): Promise<number> {
  const [first] = await tx<{ user_id: number }[]>`
    SELECT m.user_id FROM organization_members m JOIN projects p ON p.organization_id = m.organization_id
    WHERE p.id = ${project} ORDER BY m.joined_at, m.user_id LIMIT 1`
  if (!first) throw new InvalidInput('The project has no members who could own what is imported.', ['project'])
  return first.user_id
}
