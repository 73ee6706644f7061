import { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/**
 * JSON of many tiny values takes fifty times its size once it is read: half a megabyte of gzip would keep a thread and a gigabyte busy
 * for minutes. So they are counted first. Counting also what looks like a value inside a text errs by little, and events that are
 * events stay far below.
 */
export function refuseCostly(text: string): void {
  // A value takes two characters at least.
  if (text.length < 2 * LIMITS.containers) return
  let containers = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA) commas++
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) containers++
  }
  if (containers > LIMITS.containers || commas > LIMITS.values)
    throw new ApiError('body_too_large', 'The request holds too many values: send it in several requests.')
}
