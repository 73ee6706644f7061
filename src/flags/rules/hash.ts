/**
 * Where somebody stands in a rollout: the first 60 bits of SHA-1 as a share of all. SDKs that evaluate flags themselves
 * use the same hash. Written out for texts that fit one block, because a request with fifty flags needs fifty hashes
 * and a call into the crypto library costs more than the hash: what stands before the id is packed into words once for
 * each change of a flag, the id once for each request.
 */
import { createHash } from 'node:crypto'

const SCALE = 2 ** 60
/** What one block of SHA-1 has room for, beside the mark of the end and the length. */
const MOST_BYTES = 55
const END = 0x80
const words = new Int32Array(80)

/** Hashes ids behind one prefix. */
export class PrefixHash {
  readonly #prefix: string
  /** Null: too long, or not ASCII. */
  readonly #words: Int32Array | null

  constructor(prefix: string) {
    this.#prefix = prefix
    this.#words = isShort(prefix) ? new Int32Array(16) : null
    this.#words?.set(wordsOf(prefix, 0, 0))
  }

  rollout(id: string): number {
    if (id !== lastId.text) lastId = new PackedId(id)
    return this.#share(lastId)
  }

  variant(id: string): number {
    if (id !== lastVaried) {
      lastVaried = id
      lastSalted = new PackedId(`${id}variant`)
    }
    return this.#share(lastSalted)
  }

  #share(id: PackedId): number {
    const before = this.#prefix.length
    const length = before + id.text.length
    const own = this.#words
    const added = id.words[before & 3]
    if (own === null || added === undefined || length > MOST_BYTES) return longShare(this.#prefix + id.text)
    for (let word = 0; word < 16; word++) words[word] = own[word] as number
    const start = before >> 2
    for (let word = 0; word < added.length; word++)
      words[start + word] = (words[start + word] as number) | (added[word] as number)
    words[15] = length << 3
    return firstBits() / SCALE
  }
}

/** The hash of a flag's rollout and variants. */
export const flagHash = (flagKey: string): PrefixHash => new PrefixHash(`${flagKey}.`)
/** Without the flag's key: the same people are held out of all flags. */
export const HOLDOUT = new PrefixHash('holdout-')

export const rolloutHash = (flagKey: string, id: string): number => flagHash(flagKey).rollout(id)
export const variantHash = (flagKey: string, id: string): number => flagHash(flagKey).variant(id)

/** An id as words, for each of the four places in a word that it may begin at; none when it is long or not ASCII. */
class PackedId {
  readonly text: string
  readonly words: readonly Int32Array[]

  constructor(text: string) {
    this.text = text
    this.words = isShort(text) ? [0, 1, 2, 3].map((offset) => wordsOf(text, offset, END)) : []
  }
}

/** A request asks for the same id again and again. */
let lastId = new PackedId('')
let lastVaried = ''
let lastSalted = new PackedId('variant')

function isShort(text: string): boolean {
  if (text.length > MOST_BYTES) return false
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

function wordsOf(text: string, offset: number, end: number): Int32Array {
  const found = new Int32Array(((offset + text.length) >> 2) + 1)
  for (let at = 0; at <= text.length; at++) {
    const place = offset + at
    const byte = at === text.length ? end : text.charCodeAt(at)
    found[place >> 2] = (found[place >> 2] as number) | (byte << (24 - ((place & 3) << 3)))
  }
  return found
}

function longShare(text: string): number {
  const digest = createHash('sha1').update(text).digest()
  return (digest.readUInt32BE(0) * 2 ** 28 + (digest.readUInt32BE(4) >>> 4)) / SCALE
}

/** SHA-1 of the block in the first 16 words; the first 60 bits of it. */
function firstBits(): number {
  for (let word = 16; word < 80; word++) {
    const mixed =
      (words[word - 3] as number) ^
      (words[word - 8] as number) ^
      (words[word - 14] as number) ^
      (words[word - 16] as number)
    words[word] = (mixed << 1) | (mixed >>> 31)
  }
  let a = 0x67452301
  let b = 0xefcdab89 | 0
  let c = 0x98badcfe | 0
  let d = 0x10325476
  let e = 0xc3d2e1f0 | 0
  let next = 0
  let round = 0
  // Four loops rather than one that chooses: this is where the time goes.
  for (; round < 20; round++) {
    next = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + (words[round] as number)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (; round < 40; round++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + (words[round] as number)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (; round < 60; round++) {
    next = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + (words[round] as number)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (; round < 80; round++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + (words[round] as number)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  return ((0x67452301 + a) >>> 0) * 2 ** 28 + (((0xefcdab89 | 0) + b) >>> 4)
}
