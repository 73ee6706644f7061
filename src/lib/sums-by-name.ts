/** Sums by name. A sum of zero is removed. */
export class SumsByName<Name extends string | number> {
  readonly #sums = new Map<Name, number>()

  of(name: Name): number {
    return this.#sums.get(name) ?? 0
  }

  add(name: Name, more: number): void {
    const sum = this.of(name) + more
    if (sum === 0) this.#sums.delete(name)
    else this.#sums.set(name, sum)
  }

  names(): IterableIterator<Name> {
    return this.#sums.keys()
  }
}
