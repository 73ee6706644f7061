/**
 * The same series has the same colour on every page: the colour goes with its name, and is remembered. Within one chart
 * no two of the first ten share one. The first seven (Okabe and Ito's) are taken before the
 * three deeper ones that follow. What is seen most often has the calmest colour.
 */
const FIRST = 7
const COLOURS = 10
const COLOUR: ReadonlySet<unknown> = new Set(Array.from({ length: COLOURS }, (_, index) => index))
/** All other values together: always grey. */
const REST = COLOURS
const FIRST_CHOICE: ReadonlyMap<string, number> = new Map([
  ['Page view', 0],
  ['Active people', 0],
  ['People', 0],
  ['Everyone', 0],
  ['Conversion', 0],
])

/** Which name has had which colour, in this browser. */
const remembered: Map<string, number> = readRemembered()

export function colourIndexes(names: readonly string[], known: Map<string, number> = remembered): number[] {
  const before = known.size
  const given = assigned(names, known)
  if (known === remembered && known.size !== before) keepRemembered()
  return given
}

/**
 * Names that are known keep their colour, so that a series looks the same beside others as alone. A new name takes the
 * colour of its letters, or the next that is free here and that no other name has yet.
 */
function assigned(names: readonly string[], known: Map<string, number>): number[] {
  // Twice the same event, counted in two ways: two series.
  const keys = names.map((name, place) => (names.indexOf(name) === place ? name : `${name} again`))
  const chosen = new Map<string, number>()
  const taken = new Set<number>()
  const take = (key: string, index: number) => {
    chosen.set(key, index)
    taken.add(index)
  }
  for (const key of keys) {
    const own = FIRST_CHOICE.get(key) ?? known.get(key)
    if (own !== undefined && !taken.has(own) && !chosen.has(key)) take(key, own)
  }
  for (const key of keys) {
    if (chosen.has(key) || key === 'Other') continue
    if (taken.size === COLOURS) taken.clear()
    const index = firstFree(key, taken, new Set(known.values()))
    take(key, index)
    if (!known.has(key) && !FIRST_CHOICE.has(key)) known.set(key, index)
  }
  return keys.map((key) => (key === 'Other' ? REST : (chosen.get(key) ?? 0)))
}

function firstFree(key: string, taken: ReadonlySet<number>, used: ReadonlySet<number>): number {
  const range = taken.size < FIRST ? FIRST : COLOURS
  const start = hash(key) % FIRST
  const all = Array.from({ length: range }, (_, step) => (start + step) % range).filter((index) => !taken.has(index))
  return all.find((index) => !used.has(index)) ?? all[0] ?? start
}

const KEPT_AS = 'footfall.colours'
const MOST_KEPT = 400

function readRemembered(): Map<string, number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]')
    if (!Array.isArray(kept)) return new Map()
    return new Map(kept.filter((one): one is [string, number] => Array.isArray(one) && COLOUR.has(one[1])))
  } catch {
    return new Map()
  }
}

function keepRemembered(): void {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify([...remembered].slice(-MOST_KEPT)))
  } catch {
    // Without storage the colours last as long as the page.
  }
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
