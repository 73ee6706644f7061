import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Sql } from '../../engines/postgres/index.ts'
import { pause } from '../../lib/pause.ts'
import type { OtherProcesses } from '../frame/other-processes.ts'

/** How long another process may take to say that it has cancelled a question. */
const ANSWER_WITHIN_MS = 1_000
/** A hash, because an id that a client chose may be longer than a message. */
const questionSchema = z.object({ question: z.string() })

/**
 * Questions that are being answered, under the id their asker gave them, so that the asker can take them back: here, or
 * in another process, which is asked and answers when it had it.
 */
export class RunningQuestions {
  readonly #running = new Map<string, Set<AbortController>>()
  readonly #elsewhere = new Map<string, Set<() => void>>()
  #others: OtherProcesses | null = null

  async shareWith(others: OtherProcesses): Promise<void> {
    await others.hear('cancel_question', questionSchema, ({ question }) => {
      // Whoever asked gives up after a moment.
      if (this.#abort(question)) others.tell('question_cancelled', { question }).catch(() => {})
    })
    await others.hear('question_cancelled', questionSchema, ({ question }) => {
      for (const done of this.#elsewhere.get(question) ?? []) done()
    })
    this.#others = others
  }

  /** Answers with a signal that also aborts when the question is cancelled. Without an id it cannot be. */
  async run<T>(
    {
      project,
      id,
      signal,
    }: { readonly project: number; readonly id: string | undefined; readonly signal?: AbortSignal },
    answer: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const cancel = new AbortController()
    const either = signal ? AbortSignal.any([signal, cancel.signal]) : cancel.signal
    if (id === undefined) return answer(either)
    const removed = added(this.#running, questionOf(project, id), cancel)
    try {
      return await answer(either)
    } finally {
      removed()
    }
  }

  /** Whether there was something to cancel. */
  async cancel(project: number, id: string): Promise<boolean> {
    const question = questionOf(project, id)
    return this.#abort(question) || (await this.#abortElsewhere(question))
  }

  #abort(question: string): boolean {
    const found = this.#running.get(question)
    for (const running of found ?? []) running.abort()
    return found !== undefined
  }

  async #abortElsewhere(question: string): Promise<boolean> {
    const others = this.#others
    if (others === null) return false
    const answered = new AbortController()
    const removed = added(this.#elsewhere, question, () => answered.abort())
    try {
      await others.tell('cancel_question', { question })
      await pause(ANSWER_WITHIN_MS, answered.signal)
      return answered.signal.aborted
    } finally {
      removed()
    }
  }
}

const questionOf = (project: number, id: string): string =>
  createHash('sha256').update(`${project} ${id}`).digest('base64')

/** Adds to a set of many; the function takes it out again. */
function added<T>(sets: Map<string, Set<T>>, key: string, item: T): () => void {
  const same = sets.get(key) ?? new Set()
  sets.set(key, same.add(item))
  return () => {
    same.delete(item)
    if (same.size === 0) sets.delete(key)
  }
}

/** One for all endpoints of a service, which share their connections to Postgres. */
const registers = new WeakMap<Sql, RunningQuestions>()

export function runningQuestions(sql: Sql): RunningQuestions {
  const register = registers.get(sql) ?? new RunningQuestions()
  registers.set(sql, register)
  return register
}
