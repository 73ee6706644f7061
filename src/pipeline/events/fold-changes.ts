import type { Json, JsonObject } from '../../lib/json.ts'

/** What events want to change about a person. */
export interface Changes {
  readonly set: JsonObject
  readonly setOnce: JsonObject
  readonly unset: readonly string[]
}

export const NOTHING: Changes = { set: {}, setOnce: {}, unset: [] }

export const isNothing = ({ set, setOnce, unset }: Changes): boolean =>
  unset.length + Object.keys(set).length + Object.keys(setOnce).length === 0

/**
 * Combines two changes, applied one after the other, into one. For a single key a change has two outcomes: one if the
 * person does not have the key, and one if it has. Outcomes can be chained, so the order is kept: a key that is unset
 * and then set once is set, whatever the person had.
 *
 * One event may set and unset the same key (it sets it if the person lacks it, and unsets it if not). Followed by a
 * change with different outcomes again, no single change is equivalent; then the outcome for a person that has the key
 * counts.
 */
export function foldChanges(earlier: Changes, later: Changes): Changes {
  const keys = new Set([...keysOf(earlier), ...keysOf(later)])
  const folded = {
    set: Object.create(null) as JsonObject,
    setOnce: Object.create(null) as JsonObject,
    unset: [] as string[],
  }
  for (const key of keys) {
    const effect = after(effectOf(earlier, key), effectOf(later, key))
    const { whenMissing, whenThere } = effect
    if (whenThere.kind === 'value') folded.set[key] = whenThere.value
    else {
      if (whenMissing.kind === 'value') folded.setOnce[key] = whenMissing.value
      if (whenThere.kind === 'gone') folded.unset.push(key)
    }
  }
  return { set: { ...folded.set }, setOnce: { ...folded.setOnce }, unset: folded.unset }
}

type Answer =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'gone' }
  | { readonly kind: 'as it was' }

interface Effect {
  /** Never 'as it was': a missing key that stays missing is 'gone'. */
  readonly whenMissing: Answer
  readonly whenThere: Answer
}

const GONE: Answer = { kind: 'gone' }
const AS_IT_WAS: Answer = { kind: 'as it was' }

function effectOf({ set, setOnce, unset }: Changes, key: string): Effect {
  const takenAway = unset.includes(key)
  const told: Answer | null = Object.hasOwn(set, key) ? { kind: 'value', value: set[key] as Json } : null
  const first: Answer | null = Object.hasOwn(setOnce, key) ? { kind: 'value', value: setOnce[key] as Json } : null
  return { whenMissing: told ?? first ?? GONE, whenThere: takenAway ? GONE : (told ?? AS_IT_WAS) }
}

function after(earlier: Effect, later: Effect): Effect {
  const then = (answer: Answer): Answer => {
    if (answer.kind === 'gone') return later.whenMissing
    return later.whenThere.kind === 'as it was' ? answer : later.whenThere
  }
  return { whenMissing: then(earlier.whenMissing), whenThere: then(earlier.whenThere) }
}

const keysOf = ({ set, setOnce, unset }: Changes): string[] => [...Object.keys(set), ...Object.keys(setOnce), ...unset]
