/** Statements for ClickHouse as values. Nothing here can run one: planning and writing SQL need no more than this. */
export {
  propertyOf,
  propertyPath,
  propertyText,
  propertyTexts,
  writePropertyTexts,
} from './clickhouse/property-column.ts'
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
} from './clickhouse/sql.ts'
