/** The text as PostgreSQL can store it: it refuses the character NUL in texts. */
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
