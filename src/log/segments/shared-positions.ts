/// <reference lib="es2024.sharedmemory" />
/**
 * What the writer's thread and the readers' threads tell each other, in memory that both see.
 *
 * The writer stores, in this order: ends of the partitions, the durable end, and then rings the bell; the base of a new segment
 * is stored before anything durable lies in it. A reader loads in the opposite order, so whatever stands before the durable end it
 * saw is also counted in the ends, and lies in segments it can find.
 */
export interface SharedPositions {
  durableEnd(): number
  activeBase(): number
  end(slot: number): number
  released(slot: number): number
  /** Raises the released position; an older one changes nothing. */
  release(slot: number, position: number): void
  setActiveBase(base: number): void
  publish(ends: readonly number[], durableEnd: number): void
  /** Bytes that turned out unreadable, counted by whoever met them first. */
  addLoss(bytes: number): void
  losses(): { readonly places: number; readonly bytes: number }
  /** The number of rings so far: pass it to `rung`, so that no ring between looking and waiting is missed. */
  rings(): number
  /** Resolves when the bell has been rung more often than `seen`. */
  rung(seen: number): Promise<unknown>
  ring(): void
}

const DURABLE_END = 0
const ACTIVE_BASE = 1
const LOST_PLACES = 2
const LOST_BYTES = 3
const BELL = 4
const SLOTS = 5

export const allocatePositions = (partitions: number): SharedArrayBuffer =>
  new SharedArrayBuffer(8 * (SLOTS + 2 * partitions))

export function sharedPositions(memory: SharedArrayBuffer): SharedPositions {
  const cells = new BigInt64Array(memory)
  const load = (cell: number) => Number(Atomics.load(cells, cell))
  const store = (cell: number, value: number) => Atomics.store(cells, cell, BigInt(value))
  const endCell = (slot: number) => SLOTS + 2 * slot
  const releasedCell = (slot: number) => SLOTS + 2 * slot + 1
  const ring = () => {
    Atomics.add(cells, BELL, 1n)
    Atomics.notify(cells, BELL)
  }
  return {
    durableEnd: () => load(DURABLE_END),
    activeBase: () => load(ACTIVE_BASE),
    end: (slot) => load(endCell(slot)),
    released: (slot) => load(releasedCell(slot)),
    release(slot, position) {
      const cell = releasedCell(slot)
      const wanted = BigInt(position)
      let seen = Atomics.load(cells, cell)
      while (seen < wanted) {
        const found = Atomics.compareExchange(cells, cell, seen, wanted)
        if (found === seen) return
        seen = found
      }
    },
    setActiveBase: (base) => store(ACTIVE_BASE, base),
    publish(ends, durableEnd) {
      for (let slot = 0; slot < ends.length; slot++) store(endCell(slot), ends[slot] as number)
      store(DURABLE_END, durableEnd)
      ring()
    },
    addLoss(bytes) {
      Atomics.add(cells, LOST_PLACES, 1n)
      Atomics.add(cells, LOST_BYTES, BigInt(bytes))
    },
    losses: () => ({ places: load(LOST_PLACES), bytes: load(LOST_BYTES) }),
    rings: () => load(BELL),
    rung: (seen) => Promise.resolve(Atomics.waitAsync(cells, BELL, BigInt(seen)).value),
    ring,
  }
}
