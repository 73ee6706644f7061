/**
 * Events, persons and groups of one project in and out, as lines of JSON. From the outside in:
 *
 *   export.ts      a project -> lines
 *   import.ts      lines -> a running service: split.ts cuts a file into values, recognise.ts says what each is, of whose ever making
 *   lines.ts       what our own lines look like
 *   store-identities.ts   in the service: lines that are no events
 */
export { exportLines } from './export.ts'
export { type ImportCounts, type ImportTarget, importFile } from './import.ts'
export { IDENTITY_LINES } from './lines.ts'
export { storeIdentities } from './store-identities.ts'
