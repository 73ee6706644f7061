/**
 * Calls `work` every `ms`, also while an earlier call has not ended. The function it returns stops that and resolves
 * when no call is under way: what the caller then undoes stays undone. `work` handles its own errors.
 */
export function every(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  const timer = setInterval(() => {
    const call = work().finally(() => underWay.delete(call))
    underWay.add(call)
  }, ms)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
  }
}
