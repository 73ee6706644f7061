export { openPostgres, type PoolOptions, type PostgresServer, type Sql, type TransactionSql } from './client.ts'
export { type EmbeddedPostgres, type PostgresConnection, startEmbeddedPostgres } from './embedded.ts'
export { applyPostgresMigrations, withMigrationLock } from './migrations.ts'
export { inTransaction, isRetryable, type TransactionOptions } from './transactions.ts'
