/**
 * Where somebody stands in a rollout: the first 60 bits of SHA-1 as a share of all. SDKs that evaluate flags themselves
 * use the same hash. Written out for short texts, because a request with fifty flags needs fifty of them and a call
 * into the crypto library costs more than the hash.
 */
const SCALE = 2 ** 60
const BLOCK = 64
const bytes = Buffer.alloc(4096)
const words = new Int32Array(80)

export const rolloutHash = (flagKey: string, id: string): number => share(`${flagKey}.${id}`)
export const variantHash = (flagKey: string, id: string): number => share(`${flagKey}.${id}variant`)
/** Without the flag's key: the same people are held out of all flags. */
export const holdoutHash = (id: string): number => share(`holdout-${id}`)

function share(text: string): number {
  const room = text.length * 3 + BLOCK * 2
  const buffer = room <= bytes.length ? bytes : Buffer.alloc(room)
  const length = writeUtf8(buffer, text)
  const end = Math.ceil((length + 9) / BLOCK) * BLOCK
  buffer.fill(0, length, end)
  buffer[length] = 0x80
  buffer.writeUInt32BE(length * 8, end - 4)
  return firstBits(buffer, end) / SCALE
}

/** Byte by byte while it is ASCII: keys and ids almost always are. */
function writeUtf8(buffer: Buffer, text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) return buffer.write(text, 0, 'utf8')
    buffer[at] = code
  }
  return text.length
}

/** SHA-1 of whole blocks; its first 60 bits. */
function firstBits(buffer: Buffer, end: number): number {
  let h0 = 0x67452301
  let h1 = 0xefcdab89 | 0
  let h2 = 0x98badcfe | 0
  let h3 = 0x10325476
  let h4 = 0xc3d2e1f0 | 0
  for (let start = 0; start < end; start += BLOCK) {
    schedule(buffer, start)
    let a = h0
    let b = h1
    let c = h2
    let d = h3
    let e = h4
    for (let round = 0; round < 80; round++) {
      const mixed =
        round < 20
          ? (((b & c) | (~b & d)) + 0x5a827999) | 0
          : round < 40
            ? ((b ^ c ^ d) + 0x6ed9eba1) | 0
            : round < 60
              ? (((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc) | 0
              : ((b ^ c ^ d) + 0xca62c1d6) | 0
      const next = (((a << 5) | (a >>> 27)) + mixed + e + (words[round] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    h0 = (h0 + a) | 0
    h1 = (h1 + b) | 0
    h2 = (h2 + c) | 0
    h3 = (h3 + d) | 0
    h4 = (h4 + e) | 0
  }
  return (h0 >>> 0) * 2 ** 28 + (h1 >>> 4)
}

function schedule(buffer: Buffer, start: number): void {
  for (let word = 0; word < 16; word++) {
    const at = start + word * 4
    words[word] =
      ((buffer[at] as number) << 24) |
      ((buffer[at + 1] as number) << 16) |
      ((buffer[at + 2] as number) << 8) |
      (buffer[at + 3] as number)
  }
  for (let word = 16; word < 80; word++) {
    const mixed =
      (words[word - 3] as number) ^
      (words[word - 8] as number) ^
      (words[word - 14] as number) ^
      (words[word - 16] as number)
    words[word] = (mixed << 1) | (mixed >>> 31)
  }
}
