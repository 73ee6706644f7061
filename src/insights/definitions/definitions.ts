/** What a project has given names to. */
import type { Action } from './action.ts'
import type { Cohort } from './cohort.ts'

export interface Definitions {
  readonly actions: ReadonlyMap<number, Action>
  readonly cohorts: ReadonlyMap<number, Cohort>
}

export const NO_DEFINITIONS: Definitions = { actions: new Map(), cohorts: new Map() }

/** By its id, or by its name where that is what people write. */
export function findNamed<T extends { readonly id: number; readonly name: string | null }>(
  all: ReadonlyMap<number, T>,
  idOrName: string,
): T | undefined {
  const byId = /^\d{1,9}$/.test(idOrName) ? all.get(Number(idOrName)) : undefined
  return byId ?? [...all.values()].find(({ name }) => name === idOrName)
}
