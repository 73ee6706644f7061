export { openPostgres, type PostgresServer } from './client.ts'
export { copyIn, copyOut } from './copy.ts'
export {
  type EmbeddedPostgres,
  isPrepared,
  prepareCluster,
  startEmbeddedPostgres,
  startProgram,
} from './embedded/index.ts'
export { applyPostgresMigrations, withMigrationLock } from './migrations.ts'
export { isBehind, type Place, pageOf } from './place.ts'
export { onPrimary, type Reading, ReadReplica } from './read-replica.ts'
export { isRetryable, isTroubleOfPostgres } from './retryable.ts'
export type { Sql, Statements, TransactionSql } from './sql.ts'
export { inTransaction } from './transactions.ts'
