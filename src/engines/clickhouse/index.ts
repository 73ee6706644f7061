export * from '../clickhouse-sql.ts'
export { type ClickHouse, type ClickHouseServer, openClickHouse, type QueryOptions, type Settings } from './client.ts'
export { TABLES } from './cluster.ts'
export {
  type EmbeddedClickHouse,
  endLeftoverEngineIn,
  startEmbeddedClickHouse,
  startProgram,
} from './embedded/index.ts'
export { ClickHouseFailure, isUnavailable, QUERY_WAS_CANCELLED } from './failure.ts'
export { applyClickHouseMigrations } from './migrations.ts'
export {
  type Mutation,
  MutationFailure,
  type MutationProgress,
  type MutationWatch,
  mutate,
} from './mutations.ts'
export { type OldData, placeOldData } from './old-data.ts'
export { ASKER_OF_PROBES, type QuestionCounts, questionCounts, questionsOf } from './questions.ts'
export { RowBinary } from './row-binary.ts'
export { spreadTables } from './spread-tables.ts'
export { untilAborted } from './until-aborted.ts'
