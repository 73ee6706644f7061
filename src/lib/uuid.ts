import { createHash, randomFillSync } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any version and variant. */
export const isUuid = (text: string): boolean => UUID.test(text)

const RANDOM_DIGITS = 19
const HEX = '0123456789abcdef'
const VARIANTS = '89ab'
const pool = Buffer.alloc(4096)
let digits = ''
let used = 0

/** A time-ordered uuid (RFC 9562, version 7). Random digits come from a pool: one system call for 431 uuids. */
export function uuidV7(now: number = Date.now()): string {
  if (used + RANDOM_DIGITS > digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  const at = used
  used += RANDOM_DIGITS
  const time = now.toString(16).padStart(12, '0')
  const variant = VARIANTS[HEX.indexOf(digits[at + 3] as string) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(at, at + 3)}-${variant}${digits.slice(at + 4, at + 7)}-${digits.slice(at + 7, at + 19)}`
}

/** A uuid derived from a name (RFC 9562, version 5). */
export function uuidV5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
