const OF_OBJECT = 48
const OF_VALUE = 8

/**
 * About how much memory a value keeps, counted no further than `most`: what is larger need not be known exactly. What
 * stands in it several times is counted once.
 */
export function roughBytes(value: unknown, most: number): number {
  const seen = new Set<object>()
  const waiting: unknown[] = [value]
  let bytes = 0
  while (waiting.length > 0 && bytes <= most) {
    const next = waiting.pop()
    if (typeof next === 'string') bytes += OF_VALUE + next.length * 2
    else if (typeof next !== 'object' || next === null) bytes += OF_VALUE
    else if (!seen.has(next)) {
      seen.add(next)
      bytes += OF_OBJECT
      if (Array.isArray(next) && typeof next[0] === 'number') bytes += next.length * OF_VALUE
      else if (next instanceof Map) for (const [key, each] of next) waiting.push(key, each)
      else if (next instanceof Set) for (const each of next) waiting.push(each)
      else for (const each of Object.values(next)) waiting.push(each)
    }
  }
  return bytes
}
