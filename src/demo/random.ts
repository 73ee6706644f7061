/** Random numbers from a seed: the same seed gives the same demo data. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** mulberry32: small, and good enough for demo data. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1))
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T
  }

  /** By weight. */
  draw<T>(items: readonly (readonly [item: T, weight: number])[]): T {
    const total = items.reduce((sum, [, weight]) => sum + weight, 0)
    let left = this.next() * total
    for (const [item, weight] of items) {
      left -= weight
      if (left <= 0) return item
    }
    return (items.at(-1) as readonly [T, number])[0]
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.next() * 16).toString(16))
    digits[12] = '4'
    digits[16] = '89ab'[Math.floor(this.next() * 4)] as string
    const text = digits.join('')
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
  }
}
