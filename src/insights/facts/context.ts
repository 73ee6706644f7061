/** What answering a question needs from outside: facts of the project, and where the others can be read. */
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { SavedTable } from '../hogql/system-tables.ts'
import type { PropertyTypeOf, SystemRows } from '../hogql/view.ts'
import type { ProjectFacts } from './facts.ts'

export interface InsightContext extends ProjectFacts {
  readonly clickhouse: ClickHouse
  /** What properties were seen to be: asked only when a question holds an expression. Texts where nobody can say. */
  propertyTypes?(): Promise<PropertyTypeOf>
  /** The types of groups by their names, for SQL. */
  groupTypes?(): Promise<ReadonlyMap<string, number>>
  /** What the project has saved, for SQL that asks about it. */
  savedRows?(tables: readonly SavedTable[]): Promise<SystemRows>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
}
