import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

const FEW_CORES = 4

/**
 * Settings of V8. Collecting short-lived objects with several threads is faster only with spare cores; on a small
 * machine it takes more CPU, in threads that do not yield to capture as the pipeline's thread does.
 */
export function tuneRuntime(): void {
  if (availableParallelism() <= FEW_CORES) setFlagsFromString('--no-parallel-scavenge')
}
