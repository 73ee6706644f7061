/** Whether the values of filters can be read at all. */
import { isDate } from '../../lib/parse-date.ts'
import type { Readable } from './filter.ts'

const RELATIVE = /^-?\d{1,4}[hdwmy]$/
const VERSION = /^\s*v?\d+(?:\.\d+){0,2}(?:[-+]\S+)?\s*$/
const WILDCARD = /^\s*v?\d+(?:\.\d+)?\.\*\s*$/

export const READABLE: Readable = {
  pattern: (text) => {
    try {
      new RegExp(text)
      return null
    } catch (error) {
      return (error as Error).message.replace(/^Invalid regular expression: /, '')
    }
  },
  date: (text) => RELATIVE.test(text.trim()) || (!/^-?\d*[a-zA-Z]/.test(text.trim()) && isDate(text)),
  version: (text, operator) => (operator === 'semver_wildcard' ? WILDCARD : VERSION).test(text),
}
