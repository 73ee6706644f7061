/**
 * Settings of the embedded server: a small footprint, an ingest load, and full durability (fsync, synchronous_commit
 * and full_page_writes keep their safe defaults).
 */
const SETTINGS: Readonly<Record<string, string | number>> = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 60,

  // Used only as far as there is data. With less, looking up one of 200,000 persons costs twice the CPU time of one of
  // 10,000.
  shared_buffers: '128MB',
  wal_buffers: '2MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '1GB',
  huge_pages: 'off',

  // Fewer processes: no I/O, parallel or replication workers; one autovacuum worker.
  io_method: 'sync',
  max_worker_processes: 0,
  max_parallel_workers: 0,
  max_parallel_workers_per_gather: 0,
  max_logical_replication_workers: 0,
  autovacuum_worker_slots: 1,
  autovacuum_max_workers: 1,

  // There are no replicas, so the write-ahead log needs only what recovery needs; rare, spread checkpoints suit steady
  // writes.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_replication_slots: 0,
  min_wal_size: '80MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',

  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
}

/** `postgres -c name=value ...` for a server with its socket in `socketDir`. */
export function serverArguments(socketDir: string, clusterName: string): string[] {
  const settings = { ...SETTINGS, unix_socket_directories: quoted(socketDir), cluster_name: clusterName }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The value is a comma-separated list, so a path is quoted in it. */
const quoted = (directory: string): string => `"${directory.replaceAll('"', '""')}"`

/** UTF-8 text compared byte by byte, and the same upper and lower case on every machine, whatever its C library. */
export const initdbArguments = (cluster: string, user: string): string[] => [
  ...['--pgdata', cluster, '--username', user],
  ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  // Until roles.ts has written pg_hba.conf.
  ...['--auth-local', 'reject', '--auth-host', 'reject'],
  ...['--data-checksums', '--no-instructions'],
]
