import type postgres from 'postgres'

export type Types = { bigint: number }

/** A tagged template on it is a statement with bound parameters. */
export type Statements = postgres.ISql<Types>

/** A pool of connections. */
export interface Sql extends Statements {
  readonly begin: Begin
  /** Listens for `NOTIFY` of other connections; listens again after a reconnect. */
  readonly listen: postgres.Sql<Types>['listen']
  /** A connection of its own, for session state. */
  reserve(): Promise<Session>
  end(options?: { timeout?: number }): Promise<void>
}

/** One connection, until it is released. */
export interface Session extends Statements {
  release(): void
}

/** Runs the work in a transaction: commits when it resolves, rolls back when it rejects. */
export type Begin = <T>(work: (tx: TransactionSql) => Promise<T>, mode?: TransactionMode) => Promise<T>

/** `snapshot`: read-only, on one snapshot. */
type TransactionMode = 'snapshot'

/** One connection with an open transaction. */
export interface TransactionSql extends Statements {
  savepoint<T>(work: (tx: TransactionSql) => Promise<T>): Promise<T>
}
