import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all garbage now. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

/** Bytes of the heap that something still holds. */
export function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
