import { setTimeout as delay } from 'node:timers/promises'

/** Waits, but not beyond the signal. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, signal ? { signal } : {}).catch(() => {})
