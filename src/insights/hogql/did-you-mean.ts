/** " Did you mean "events"?" when a known name is close to what was written, and nothing otherwise. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const wanted = written.toLowerCase()
  const most = Math.max(1, Math.floor(wanted.length / 3))
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) > most) continue
    const distance = distanceBetween(wanted, name.toLowerCase())
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best === undefined ? '' : ` Did you mean "${best.name}"?`
}

const LONGEST = 100

/** How many letters have to be added, removed, changed or swapped with their neighbour. */
function distanceBetween(a: string, b: string): number {
  if (a.length > LONGEST || b.length > LONGEST) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] as number) + 1
          : Number.POSITIVE_INFINITY
      row.push(Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, changed, swapped))
    }
    before = last
    last = row
  }
  return last[b.length] as number
}
