import type { LiveBatch } from '../pipeline/index.ts'

/**
 * The watchers of each project. The pipeline gets the list of projects whenever it changes, so that it makes samples
 * only for these.
 */
interface Watcher {
  batch(batch: LiveBatch): void
  /** The service stops. */
  end(): void
}

export class LiveHub {
  readonly #watchers = new Map<number, Set<Watcher>>()
  readonly #onChange: (projects: readonly number[]) => void
  #isClosed = false

  constructor(onChange: (projects: readonly number[]) => void) {
    this.#onChange = onChange
  }

  get size(): number {
    let size = 0
    for (const watchers of this.#watchers.values()) size += watchers.size
    return size
  }

  /** Until the returned function is called. */
  watch(project: number, watcher: Watcher): () => void {
    if (this.#isClosed) {
      watcher.end()
      return () => {}
    }
    const watchers = this.#watchers.get(project) ?? new Set()
    watchers.add(watcher)
    if (watchers.size === 1) {
      this.#watchers.set(project, watchers)
      this.#tell()
    }
    return () => {
      if (!watchers.delete(watcher) || watchers.size > 0) return
      this.#watchers.delete(project)
      this.#tell()
    }
  }

  publish(batches: readonly LiveBatch[]): void {
    for (const batch of batches) for (const watcher of this.#watchers.get(batch.project) ?? []) watcher.batch(batch)
  }

  /** Ends all streams, those that come later too: an open one would keep the server from closing. */
  close(): void {
    this.#isClosed = true
    for (const watchers of [...this.#watchers.values()]) for (const watcher of [...watchers]) watcher.end()
  }

  #tell(): void {
    this.#onChange([...this.#watchers.keys()])
  }
}
