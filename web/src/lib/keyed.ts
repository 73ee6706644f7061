/** Items of a list without ids: the index is the key. */
export const keyed = <T>(items: readonly T[]): { key: string; item: T; index: number }[] =>
  items.map((item, index) => ({ key: `n${index}`, item, index }))
