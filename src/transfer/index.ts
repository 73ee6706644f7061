/**
 * Export and import of events, persons and groups of one project, as lines of JSON. From the outside in:
 *
 *   export.ts      a project -> lines
 *   import.ts      lines -> a running service: split.ts cuts a file into values, recognise.ts recognises each, from
 *                  several products
 *   lines.ts       the format of our own lines
 *   store-identities.ts   in the service: stores lines of persons and groups
 *   saved/         insights and dashboards as an API answered them -> the project
 */
export { exportLines } from './export.ts'
export { type ImportCounts, type ImportTarget, importFile } from './import.ts'
export { IDENTITY_LINES } from './lines.ts'
export { openFile } from './saved/find-saved.ts'
export { savedThings } from './saved/read-saved.ts'
export { type SavedCounts, storeSaved } from './saved/store-saved.ts'
export { storeIdentities } from './store-identities.ts'
