/** What somebody typed with something between: without blanks around the parts, and without empty ones. */
export const partsOf = (text: string, between: string): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter(Boolean)
