/** Waits for the work, but not longer. The timer is cleared when the work is done, so that it keeps no process alive. */
export async function atMost(ms: number, work: PromiseLike<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** What the work results in. Rejects when it takes longer; what comes later is ignored. */
export async function within<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/**
 * A signal that is aborted with any of these, or after so long; `end` clears the timer. `AbortSignal.any` keeps its
 * sources weakly, and an `AbortSignal.timeout` that nobody else holds is gone with the next garbage collection: then
 * nothing would end the wait.
 */
export function timeLimit(ms: number, ...signals: AbortSignal[]): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  return { signal: AbortSignal.any([...signals, late.signal]), end: () => clearTimeout(timer) }
}
