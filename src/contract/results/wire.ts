import type { z } from 'zod'

type DeepReadonly<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** The type of an answer, readonly throughout. */
export type Wire<S extends z.ZodType> = DeepReadonly<z.output<S>>
