/** Items of a list whose order is all that tells them apart: their place is their key. */
export const keyed = <T>(items: readonly T[]): { key: string; item: T; index: number }[] =>
  items.map((item, index) => ({ key: `n${index}`, item, index }))
