import { ApiFailure } from '../lib/api-failure.ts'

/**
 * The code of a page comes when the page is first wanted, and may fail to come for two reasons. The service is not responding: the page
 * says so and waits, as for any other question. Or it answers, but with another build that has other files: the router loads the
 * whole app anew.
 */
type Load<T> = () => Promise<T>

const pages = new Set<Load<unknown>>()

export function pageCode<T>(load: Load<T>): Load<T> {
  pages.add(load)
  return () =>
    load().catch(async (error: unknown) => {
      throw (await serviceAnswers()) ? error : new ApiFailure(0, 'unreachable', 'The service is not responding.')
    })
}

/** One after the other, so that nothing else has to wait: a page that was never opened then opens at once. */
export async function fetchPages(): Promise<void> {
  for (const load of pages) await load().catch(() => {})
}

export const serviceAnswers = (): Promise<boolean> =>
  fetch('/_health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
