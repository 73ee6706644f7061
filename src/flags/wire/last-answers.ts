/**
 * What people were answered last. SDKs ask for the same person again with every page and every change of properties,
 * and mostly get the same answer: flags that only the id decides about are not hashed again, and an answer that has not
 * changed is not put together again. A change of definitions makes all of it worthless, because it comes with another
 * `ProjectFlags`.
 */
import type { FlagDecision } from '../rules/decision.ts'
import type { ProjectFlags } from '../rules/definition.ts'
import { flagFields } from './answers.ts'

const MOST_BYTES = 32 * 1024 * 1024
const ENTRY_BYTES = 500

export interface LastAnswer {
  readonly project: ProjectFlags
  /** By the place of a flag: what the id alone has decided. */
  readonly byId: (FlagDecision | undefined)[]
  decisions: readonly FlagDecision[]
  text: string
}

export class LastAnswers {
  readonly #kept = new Map<string, LastAnswer>()
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  of(project: ProjectFlags, distinctId: string): LastAnswer {
    const key = `${project.projectId}:${distinctId}`
    const known = this.#kept.get(key)
    if (known?.project === project) return known
    if (known) this.#forget(key, known)
    const fresh: LastAnswer = { project, byId: [], decisions: [], text: '' }
    this.#kept.set(key, fresh)
    this.#bytes += bytesOf(key, fresh)
    return fresh
  }

  /** All flags of the project in detail, as text. */
  fieldsOf(last: LastAnswer, distinctId: string, decisions: readonly FlagDecision[]): string {
    if (last.text !== '' && areSame(decisions, last.decisions)) return last.text
    const key = `${last.project.projectId}:${distinctId}`
    const isKept = this.#kept.get(key) === last
    if (isKept) this.#bytes -= bytesOf(key, last)
    last.decisions = decisions
    last.text = flagFields(decisions, 'details')
    if (isKept) this.#bytes += bytesOf(key, last)
    for (const [oldest, each] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) break
      this.#forget(oldest, each)
    }
    return last.text
  }

  #forget(key: string, last: LastAnswer): void {
    this.#kept.delete(key)
    this.#bytes -= bytesOf(key, last)
  }
}

const bytesOf = (key: string, { text, project }: LastAnswer): number =>
  ENTRY_BYTES + key.length * 2 + text.length + project.flags.length * 16

function areSame(some: readonly FlagDecision[], others: readonly FlagDecision[]): boolean {
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}
