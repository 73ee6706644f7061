/** The parts of typed text between separators: trimmed, without empty ones. */
export const partsOf = (text: string, between: string): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter(Boolean)
