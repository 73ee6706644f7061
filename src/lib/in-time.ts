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
 * A signal that is aborted with this one, or after so long, until `end`. Not `AbortSignal.any` with a timeout: it keeps
 * its sources weakly, so that a timeout nobody else holds is gone with the next garbage collection, and a source that
 * lives long keeps something of each.
 */
export function timeLimit(ms: number, until: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const limit = new AbortController()
  const abort = () => limit.abort()
  const timer = setTimeout(abort, ms)
  if (until.aborted) abort()
  else until.addEventListener('abort', abort)
  return {
    signal: limit.signal,
    end: () => {
      clearTimeout(timer)
      until.removeEventListener('abort', abort)
    },
  }
}
