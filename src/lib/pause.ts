import { setTimeout as delay } from 'node:timers/promises'

/** Waits, or until the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, signal ? { signal } : {}).catch(() => {})
