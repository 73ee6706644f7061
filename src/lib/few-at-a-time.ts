/**
 * The results of `work` on each item, in the order of the items, with at most `most` of them running. After a failure no other is begun,
 * and it rejects when those that run are over.
 */
export async function fewAtATime<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next++
      try {
        results[at] = await work(items[at] as T, at)
      } catch (error) {
        next = items.length
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return results
}
