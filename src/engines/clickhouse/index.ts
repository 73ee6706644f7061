export {
  type ClickHouse,
  type ClickHouseServer,
  type InsertOptions,
  openClickHouse,
  type QueryOptions,
  type QueryResult,
  type Settings,
} from './client.ts'
export { type EmbeddedClickHouse, startEmbeddedClickHouse } from './embedded/index.ts'
export { ClickHouseFailure, type FailureKind, QUERY_WAS_CANCELLED } from './failure.ts'
export { applyClickHouseMigrations } from './migrations.ts'
export { propertyOf, propertyPath, propertyText, propertyTexts, propertyTextsAsJson } from './property-column.ts'
export { RowBinary } from './row-binary.ts'
export * from './sql.ts'
