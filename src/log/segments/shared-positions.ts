/// <reference lib="es2024.sharedmemory" />
/**
 * Positions that the writer's thread and the readers' threads share, in shared memory.
 *
 * The writer stores, in this order: ends of the partitions, the durable end, and then increments the notification
 * counter; the base of a new segment is stored before it has durable records. A reader loads in the opposite order, so
 * everything before the durable end it saw is also included in the ends, and is in segments it can find.
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
  /** Unreadable bytes, counted by the reader that found them first. */
  addLoss(bytes: number): void
  losses(): { readonly places: number; readonly bytes: number }
  /** The notifications so far: pass the number to `rung`, so that none between the check and the wait is missed. */
  rings(): number
  /** Resolves when there have been more notifications than `seen`. */
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
