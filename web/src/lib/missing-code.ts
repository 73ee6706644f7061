const NOT_FETCHED = /dynamically imported module|importing a module script failed/i

/** Code that is loaded on demand (a page, a chart, the player) failed to load. */
export const isMissingCode = (error: unknown): boolean => error instanceof Error && NOT_FETCHED.test(error.message)
