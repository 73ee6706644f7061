import { valueText } from '../lib/format.ts'

/** A value that a spreadsheet would run as a formula is written so that it does not. */
const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text)

const field = (value: unknown): string => `"${safe(value === null ? '' : valueText(value)).replaceAll('"', '""')}"`

export const csvOf = (names: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [names, ...rows].map((line) => line.map(field).join(',')).join('\r\n')
