import type { Sql } from '../../engines/postgres/index.ts'

/** Questions that are being answered here, under the id their asker gave them, so that the asker can take them back. */
class RunningQuestions {
  readonly #running = new Map<string, Set<AbortController>>()

  /** Answers with a signal that also aborts when the question is cancelled. Without an id it cannot be. */
  async run<T>(
    {
      project,
      id,
      signal,
    }: { readonly project: number; readonly id: string | undefined; readonly signal: AbortSignal },
    answer: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (id === undefined) return answer(signal)
    const cancel = new AbortController()
    const key = `${project} ${id}`
    const same = this.#running.get(key) ?? new Set()
    this.#running.set(key, same.add(cancel))
    try {
      return await answer(AbortSignal.any([signal, cancel.signal]))
    } finally {
      same.delete(cancel)
      if (same.size === 0) this.#running.delete(key)
    }
  }

  /** Whether there was something to cancel. */
  cancel(project: number, id: string): boolean {
    const found = this.#running.get(`${project} ${id}`)
    for (const running of found ?? []) running.abort()
    return found !== undefined
  }
}

/** One for all endpoints of a service, which share their connections to Postgres. */
const registers = new WeakMap<Sql, RunningQuestions>()

export function runningQuestions(sql: Sql): RunningQuestions {
  const register = registers.get(sql) ?? new RunningQuestions()
  registers.set(sql, register)
  return register
}
