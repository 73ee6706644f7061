import type * as z from 'zod/mini'
import type { Searches } from './searches.ts'

/** The schemas of addresses, once they are loaded. */
let loaded: Searches | undefined

/**
 * To be awaited before an address that may be written by anybody is read: the one a page is opened with. Addresses
 * inside the app are written by the app.
 */
export async function loadSearches(): Promise<void> {
  loaded = (await import('./searches.ts')).searches
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

interface SearchValidator<S extends z.ZodMiniObject> {
  readonly '~standard': {
    readonly types?: { readonly input: z.input<S>; readonly output: z.output<S> } | undefined
    readonly validate: (given: unknown) => Validated | Promise<Validated>
  }
}

/** The fields of a page's address, as the router reads them. */
export const searchOf = <P extends keyof Searches>(path: P): SearchValidator<Searches[P]> => ({
  '~standard': {
    validate: (given) => loaded?.[path]['~standard'].validate(given) ?? { value: given },
  },
})
