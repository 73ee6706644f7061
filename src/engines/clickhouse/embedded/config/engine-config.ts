import { availableParallelism, totalmem } from 'node:os'

/**
 * Configuration for a small footprint: the engine shares the machine with capture and Postgres, and is idle most of the
 * time.
 */
const MIB = 1024 * 1024

/** The memory available to this process: the machine's, or the container's limit if that is less. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem()
}

const SERVER_MEMORY = Math.max(Math.floor(availableMemory() * 0.5), 1024 * MIB)
const QUERY_MEMORY = Math.floor(SERVER_MEMORY * 0.6)

/** Readers for the pipeline, jobs and probes: queries of projects never use them. */
export const READERS = 4
/** More readers than cores still help: a small query must not wait behind heavy ones. */
export const QUESTION_READERS = Math.max(5, Math.min(9, availableParallelism() + 3))
/** No organisation may hold the last one, and no project the last one of its organisation. */
export const QUESTIONS_OF_ONE_ORGANIZATION = QUESTION_READERS - 1
export const QUESTIONS_OF_ONE_PROJECT = QUESTION_READERS - 2
/** How long a killed query may take to stop; then the engine itself is killed and started again. */
export const STOPS_WITHIN = { runningMs: 10_000, waitingMs: 30_000 }
/** Building the JSON columns of an insert takes one core; two batches may do it at the same time. */
export const WRITERS = 2
export const MAX_WAITING = 1_000

/** Default settings of every statement; a request may override them. */
export const BASE_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['max_execution_time', '60'],
  ['max_memory_usage', String(QUERY_MEMORY)],
  ['max_bytes_before_external_group_by', String(Math.floor(QUERY_MEMORY / 2))],
  ['max_bytes_before_external_sort', String(Math.floor(QUERY_MEMORY / 2))],
  ['max_query_size', String(16 * MIB)],
  ['allow_introspection_functions', '0'],
  ['implicit_select', '0'],
])

/** A result that cannot be streamed is held in memory on both sides. */
export const MAX_BUFFERED_RESULT_BYTES = 512 * MIB

export const INSERT_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['max_execution_time', '300'],
  // The blocks of an insert are numbered under its deduplication token, so the same body must always be split the same
  // way.
  ['input_format_parallel_parsing', '0'],
  ['max_insert_threads', '1'],
])

/**
 * Inserts and merges are refused below this: on a disk without a free byte the engine was seen to acknowledge a part
 * whose marks it had not written. The log stops taking events well above it.
 */
const KEPT_FREE = 128 * MIB

/**
 * The engine's configuration file. An acknowledged insert must survive a power cut, hence the fsyncs. `more` is further
 * configuration.
 */
export const engineConfig = (usersFile: string, more = ''): string => `<clickhouse>
  <users_config>${inXml(usersFile)}</users_config>
  <max_server_memory_usage>${SERVER_MEMORY}</max_server_memory_usage>
  <mark_cache_size>${64 * MIB}</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <index_mark_cache_size>${16 * MIB}</index_mark_cache_size>
  <mmap_cache_size>0</mmap_cache_size>
  <compiled_expression_cache_size>${16 * MIB}</compiled_expression_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
  <background_schedule_pool_size>4</background_schedule_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_move_pool_size>1</background_move_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <max_thread_pool_free_size>64</max_thread_pool_free_size>
  <asynchronous_metrics_update_period_s>60</asynchronous_metrics_update_period_s>
  <memory_worker_period_ms>1000</memory_worker_period_ms>
  <storage_configuration>
    <disks>
      <default>
        <keep_free_space_bytes>${KEPT_FREE}</keep_free_space_bytes>
      </default>
    </disks>
  </storage_configuration>
  <merge_tree>
    <fsync_after_insert>1</fsync_after_insert>
    <fsync_part_directory>1</fsync_part_directory>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
  ${more}
</clickhouse>
`

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
