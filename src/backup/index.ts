/**
 * Backups of a running service. From the outside in:
 *
 *   moment.ts    in the service: a consistent moment of engines and log, held while it is read
 *   take.ts      in the command: writes the moment to a folder, with dump-postgres.ts, dump-clickhouse.ts and
 *                dump-log.ts
 *   manifest.ts  the manifest of the folder, and how damage is detected
 *   load.ts      loads a backup into empty engines
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
