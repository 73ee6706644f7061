import * as z from 'zod/mini'

/**
 * Fields of addresses. Anybody may have written an address: what is not of its type is left out, and the page shows its
 * default.
 */
export const field = <T extends z.core.SomeType>(type: T) => z.catch(z.optional(type), undefined)

/** The router reads `?search=42` as a number. */
export const text = field(z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String)))

/** Dates are kept whatever they are: a page says what is wrong with one, and does not answer for another. */
export const date = z.optional(
  z.pipe(
    z.unknown(),
    z.transform((said) => (typeof said === 'string' || said === undefined ? said : JSON.stringify(said))),
  ),
)

export const number = field(z.number())
export const flag = field(z.boolean())
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => field(z.enum(values))

/** Those items of a list that are of the type; the others are left out. */
export const someOf = <T extends z.core.$ZodType>(type: T) =>
  z.pipe(
    z.array(z.unknown()),
    z.transform((items) =>
      items.flatMap((item) => {
        const { success, data } = z.safeParse(type, item)
        return success ? [data] : []
      }),
    ),
  )
