const NOT_FETCHED = /dynamically imported module|importing a module script failed/i

/** A part of the app that is loaded when it is needed (a page, a chart, the player) did not come. */
export const isMissingCode = (error: unknown): boolean => error instanceof Error && NOT_FETCHED.test(error.message)
