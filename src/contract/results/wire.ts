import type { z } from 'zod'

type DeepReadonly<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** What a schema of an answer says, for whoever writes or reads one: nobody changes it. */
export type Wire<S extends z.ZodType> = DeepReadonly<z.output<S>>
