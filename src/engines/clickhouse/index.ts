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
export {
  and,
  Fragment,
  float,
  ident,
  int,
  join,
  moment,
  or,
  Param,
  render,
  type Statement,
  sql,
  str,
  strings,
  uint,
  uuid,
  uuids,
} from './sql.ts'
