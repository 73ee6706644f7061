import { ApiFailure } from '../lib/api-failure.ts'

/**
 * The code of a page is loaded when the page is first opened, and may fail to load for two reasons. The service is not
 * responding: the page says so and waits, as for any other request. Or the service runs another build, whose files have
 * other names: the router reloads the whole app.
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

/** Prefetches all pages one after another, so that a page opens at once and nothing else has to wait. */
export async function fetchPages(): Promise<void> {
  for (const load of pages) await load().catch(() => {})
}

const PAUSE_MS = 3_000

/**
 * Loads the code of a part that the page does not need at once, such as menus. While the service is not responding it
 * keeps trying, so that the rest of the page stays as it is.
 */
export async function partCode<T>(load: Load<T>): Promise<T> {
  for (let answers = false; ; ) {
    try {
      return await load()
    } catch (error) {
      if (answers) throw error
      answers = await serviceAnswers()
      if (!answers) await new Promise((later) => setTimeout(later, PAUSE_MS))
    }
  }
}

export const serviceAnswers = (): Promise<boolean> =>
  fetch('/_health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
