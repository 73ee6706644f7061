/**
 * The same series has the same colour on every page and in every browser: the colour is worked out of its name, nothing
 * is stored. Within one chart no two of the first ten share one. Where two names of a chart want the same colour, it is
 * always the same one of the two that takes its next choice.
 */
const COLOURS = 10
/** All other values together: always grey. */
const REST = COLOURS
/** What is seen most often has the calmest colour. */
const FIRST_CHOICE: ReadonlySet<string> = new Set(['Page view', 'Active people', 'People', 'Everyone', 'Conversion'])

export function colourIndexes(names: readonly string[]): number[] {
  // Twice the same event, counted in two ways: two series.
  const keys = names.map((name, place) => (names.indexOf(name) === place ? name : `${name} again`))
  const all = [...new Set(keys)].filter((key) => key !== 'Other')
  const chosen = new Map<string, number>()
  for (let first = 0; first < all.length; first += COLOURS) choose(all.slice(first, first + COLOURS), chosen)
  return keys.map((key) => (key === 'Other' ? REST : (chosen.get(key) ?? 0)))
}

/** Up to ten names, whatever their order: each takes the first of its choices that is free. */
function choose(keys: readonly string[], chosen: Map<string, number>): void {
  const taken = new Set<number>()
  for (const key of keys.toSorted(byTurn)) {
    const index = choicesOf(key).find((each) => !taken.has(each)) ?? 0
    taken.add(index)
    chosen.set(key, index)
  }
}

const byTurn = (a: string, b: string): number =>
  Number(FIRST_CHOICE.has(b)) - Number(FIRST_CHOICE.has(a)) || hash(a) - hash(b) || (a < b ? -1 : 1)

/** Steps that lead through all ten colours. */
const STEPS = [1, 3, 7, 9]

/** All colours, in the order in which a name would have them. */
function choicesOf(key: string): number[] {
  const start = FIRST_CHOICE.has(key) ? 0 : hash(key)
  const step = STEPS[(hash(key) >>> 8) % STEPS.length] ?? 1
  return Array.from({ length: COLOURS }, (_, turn) => (start + turn * step) % COLOURS)
}

export const cssColour = (index: number): string => `var(--s${index + 1})`

/** Canvas knows no CSS variables. */
export function paint(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
}

function hash(text: string): number {
  let value = 2166136261
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619)
  return value >>> 0
}
