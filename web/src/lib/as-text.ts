/**
 * Any value as text. What events and recordings hold was sent by a stranger, and `String` throws for an object whose
 * `toString` is not a function: the page would be gone.
 */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
