import type { Draft } from '../draft.ts'

/** With the field set, or without it. */
export function without<K extends keyof Draft>(draft: Draft, key: K, value: Draft[K] | undefined): Draft {
  const { [key]: _, ...rest } = draft
  return (value === undefined ? rest : { ...rest, [key]: value }) as Draft
}
