import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** 256 random bits in base 62. */
export function randomToken(): string {
  let number = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 62n) text = ALPHABET[Number(number % 62n)] + text
  return text.padStart(43, '0')
}

export const newProjectToken = (): string => `phc_${randomToken()}`
export const newPersonalKey = (): string => `phx_${randomToken()}`
export const newSecretKey = (): string => `phs_${randomToken()}`

/**
 * Secrets of 256 random bits need no salt and no slow hash; looking them up by hash also makes the comparison
 * constant-time.
 */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const maskOf = (key: string): string => `${key.slice(0, 4)}...${key.slice(-4)}`
