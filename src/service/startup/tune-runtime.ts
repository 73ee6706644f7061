import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

const FEW_CORES = 4

/**
 * How this process wants to be run. Collecting short-lived objects with several threads is quicker only where there are cores to spare;
 * on few of them it only takes more CPU, in threads that do not yield to capture as the pipeline's own does.
 */
export function tuneRuntime(): void {
  if (availableParallelism() <= FEW_CORES) setFlagsFromString('--no-parallel-scavenge')
}
