/** The ranges that pages begin with: apart from ranges.ts, because the first page needs no more of it. */
export const LAST_7_DAYS = '-6d'
export const LAST_30_DAYS = '-29d'
