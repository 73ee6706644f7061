// What short programs inside tests import: they run in a process of their own, where only bundled files can be loaded.
export { startEmbeddedClickHouse } from '../../../src/engines/clickhouse/index.ts'
export { acquireDataLock } from '../../../src/engines/data-lock.ts'
export { startEmbeddedPostgres } from '../../../src/engines/postgres/index.ts'
export { createLogger } from '../../../src/lib/logger.ts'
export { openSegmentLog } from '../../../src/log/index.ts'
