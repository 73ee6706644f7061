import { createHash, randomFillSync } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any version and variant: what clients send is theirs. */
export const isUuid = (text: string): boolean => UUID.test(text)

const pool = Buffer.alloc(4096)
let used = pool.length

/** A time-ordered uuid (RFC 9562, version 7). Random bytes come from a pool: one system call for 409 uuids. */
export function uuidV7(now: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 10)
  used += 10
  const time = now.toString(16).padStart(12, '0')
  const variant = (8 + (Number.parseInt(random[3] as string, 16) & 3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

/** A uuid that follows from a name (RFC 9562, version 5). */
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
