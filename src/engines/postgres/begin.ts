import { setTimeout as delay } from 'node:timers/promises'
import type postgres from 'postgres'
import { connectionLost } from './retryable.ts'
import type { Begin, TransactionSql, Types } from './sql.ts'

/**
 * Transactions over the `postgres` package that survive a crash of the server. By itself the package sends ROLLBACK
 * over a connection that is already closed, which throws outside of any promise and ends the process (porsager/postgres
 * issues 1066 and 1208); and work that continues after the loss may run, outside of any transaction, on the connection
 * that replaced the lost one. Here:
 *
 *   open       BEGIN was sent; statements go to its connection
 *              -> committed    the work resolved and COMMIT succeeded
 *              -> rolled back  the work rejected and ROLLBACK succeeded
 *              -> lost         the connection closed: rejects at once, and nothing is sent any more, whatever the work
 *                              still does
 */
type Inner = postgres.TransactionSql<Types>

/** Callbacks for closed connections, by their number. Called by the pool's `onclose`. */
export class Closings {
  readonly #watching = new Map<number, () => void>()

  closed(connection: number): void {
    this.#watching.get(connection)?.()
    this.#watching.delete(connection)
  }

  watch(connection: number, closed: () => void): void {
    this.#watching.set(connection, closed)
  }

  forget(connection: number): void {
    this.#watching.delete(connection)
  }
}

export function beginOver(pool: postgres.Sql<Types>, closings: Closings): Begin {
  const begin = pool.begin.bind(pool)
  return async (work, mode) => {
    const fate = new Fate()
    let connection = -1
    // The library's own way to get the connection of a statement; not in its types.
    const onexecute = ({ id }: { id: number }): boolean => {
      connection = id
      closings.watch(id, () => fate.lose())
      return true
    }
    try {
      const finished = begin(mode === 'snapshot' ? SNAPSHOT : '', async (inner) => {
        // Sent together with the first statement of the work, so it costs no round trip.
        inner.unsafe('SELECT', [], { onexecute } as object).catch(() => {})
        return { result: await fate.share(inner, work) }
      })
      // The library does not always notice: a statement that waited on the lost connection may never settle, and
      // `begin` with it.
      const { result } = await Promise.race([finished, fate.whenLost()])
      return result as Awaited<ReturnType<typeof work>>
    } finally {
      closings.forget(connection)
    }
  }
}

const connectionClosed = () =>
  Object.assign(new Error('The connection to the database closed during a transaction'), { code: 'CONNECTION_CLOSED' })

/** How long to wait for a connection to close after an error that says it is lost; then ROLLBACK is tried. */
const CLOSING_MS = 100

/** A read-only transaction on one snapshot. */
const SNAPSHOT = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Tracks whether a transaction's connection is still open. */
class Fate {
  #lost = false
  #tell: () => void = () => {}
  readonly #closing = new Promise<void>((tell) => {
    this.#tell = tell
  })

  lose(): void {
    this.#lost = true
    this.#tell()
  }

  /** Never resolves; rejects when the connection is lost. */
  async whenLost(): Promise<never> {
    await this.#closing
    throw connectionClosed()
  }

  /**
   * Runs the work. Once the connection is lost it never settles: settling would make the library send COMMIT or
   * ROLLBACK.
   */
  async share<T>(inner: Inner, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#guarded(inner))
      return this.#lost ? await NEVER : result
    } catch (error) {
      if (connectionLost(error)) await Promise.race([this.#closing, delay(CLOSING_MS)])
      if (this.#lost) await NEVER
      throw error
    }
  }

  /** A handle that refuses to make statements once the connection is lost. */
  #guarded(inner: Inner): TransactionSql {
    const refuseIfLost = () => {
      if (this.#lost) throw connectionClosed()
    }
    const savepoint = async <T>(work: (tx: TransactionSql) => Promise<T>): Promise<T> => {
      refuseIfLost()
      const { result } = await inner.savepoint(async (nested) => ({ result: await this.share(nested, work) }))
      return result as T
    }
    return new Proxy(inner as unknown as TransactionSql, {
      apply(target, self, args) {
        refuseIfLost()
        return Reflect.apply(target as unknown as (...args: unknown[]) => unknown, self, args)
      },
      get(target, key) {
        if (key === 'savepoint') return savepoint
        if (key === 'unsafe') refuseIfLost()
        return Reflect.get(target, key)
      },
    })
  }
}

const NEVER = new Promise<never>(() => {})
