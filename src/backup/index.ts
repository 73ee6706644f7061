/**
 * Backups of a running service. From the outside in:
 *
 *   moment.ts    in the service: one moment that engines and log agree on, held while it is read
 *   take.ts      in the command: writes the moment to a folder; dump-postgres.ts, dump-clickhouse.ts, dump-log.ts its parts
 *   manifest.ts  what the folder says of itself, and how damage is noticed
 *   load.ts      the way back into empty engines
 */
export {
  enginesAreEmpty,
  knowsMigrations,
  loadClickHouse,
  loadCopies,
  loadLog,
  loadPostgres,
  positionsIn,
} from './load.ts'
export { type Manifest, readManifest, verifyFiles } from './manifest.ts'
export { forgetMoments, holdMoment, type Moment } from './moment.ts'
export { takeBackup } from './take.ts'
