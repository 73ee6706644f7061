import { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/**
 * JSON of many tiny values takes fifty times its size in memory once it is parsed: half a megabyte of gzip would occupy
 * a thread and a gigabyte for minutes. So values are counted first. Commas and brackets inside strings count too; real
 * events stay far below the limits all the same.
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
