/**
 * The same series has the same colour on every page: the colour comes from its name. Within one chart no two of the
 * first ten share one: later series take the next free colour. The first seven (Okabe and Ito's) are taken before the
 * three deeper ones that follow. What is seen most often has the calmest colour.
 */
const FIRST = 7
const COLOURS = 10
/** All other values together: always grey. */
const REST = COLOURS
const FIRST_CHOICE: ReadonlyMap<string, number> = new Map([
  ['Page view', 0],
  ['Active people', 0],
  ['People', 0],
  ['Everyone', 0],
  ['Conversion', 0],
])

export function colourIndexes(names: readonly string[]): number[] {
  const known = new Map<string, number>()
  const taken = new Set<number>()
  return names.map((name, place) => {
    // Twice the same event, counted in two ways: two series.
    const key = known.has(name) && names.indexOf(name) !== place ? `${name} again` : name
    if (key === 'Other') return REST
    if (taken.size === COLOURS) taken.clear()
    const range = taken.size < FIRST ? FIRST : COLOURS
    let index = FIRST_CHOICE.get(key) ?? hash(key) % FIRST
    while (taken.has(index)) index = (index + 1) % range
    taken.add(index)
    known.set(key, index)
    return index
  })
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
