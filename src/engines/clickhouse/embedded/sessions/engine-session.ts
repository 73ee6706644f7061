import { Session } from 'chdb'
import { literal, setStatements } from './set-statement.ts'

/** The session state of a request, for the time of its statement. */
export interface Scope {
  readonly database: string
  readonly settings: ReadonlyMap<string, string>
  readonly params: ReadonlyMap<string, string>
}

/** With more left-over parameters than this the session is replaced. */
const MANY_PARAMS = 500
/** Statements that change the session itself. Over HTTP such a change ends with its request. */
const CHANGES_SESSION = /^\s*(?:USE|SET)\b|\bTEMPORARY\b/i

/**
 * One chDB session, which runs one statement after another and keeps the effects of SET and USE. Here nothing outlives
 * a request: `enter` computes the difference between the state of the session and that of the request, so a setting of
 * the last request goes back to its default. A parameter cannot be unset, so a statement that names a missing one gets
 * a new session, in which the engine refuses it.
 */
export class EngineSession {
  readonly #path: string
  #session: Session
  #database = 'default'
  #settings = new Map<string, string>()
  #params = new Set<string>()
  #spoiled = false

  constructor(path: string, connectionArgs: readonly string[] = []) {
    this.#path = path
    this.#session = new Session(path, { connectionArgs })
  }

  /** Sets the session to exactly this scope, and returns it for one statement. */
  async enter(scope: Scope, statement: string): Promise<Session> {
    if (this.#spoiled || this.#wouldSeeStaleParam(scope.params, statement)) this.#renew()
    this.#spoiled = true
    if (scope.database !== this.#database) {
      await this.#session.queryAsync(`USE ${literalIdentifier(scope.database)}`)
      this.#database = scope.database
    }
    for (const set of setStatements(this.#changes(scope.settings), scope.params)) await this.#session.queryAsync(set)
    this.#settings = new Map(scope.settings)
    for (const name of scope.params.keys()) this.#params.add(name)
    // A session that is read-only cannot be made writable again.
    this.#spoiled = scope.settings.has('readonly') || CHANGES_SESSION.test(statement)
    return this.#session
  }

  /**
   * After a statement that failed or was killed: the engine keeps its memory and lists it as running until the session
   * runs another statement.
   */
  async settle(): Promise<void> {
    await this.#session.queryAsync('SELECT 1').catch(() => {})
  }

  close(): void {
    this.#session.close()
  }

  *#changes(wanted: ReadonlyMap<string, string>): Generator<readonly [string, string | null]> {
    for (const name of this.#settings.keys()) if (!wanted.has(name)) yield [name, null]
    for (const [name, value] of wanted) if (this.#settings.get(name) !== value) yield [name, value]
  }

  #wouldSeeStaleParam(given: ReadonlyMap<string, string>, statement: string): boolean {
    if (this.#params.size > MANY_PARAMS) return true
    for (const [, name] of statement.matchAll(/\{\s*(\w+)\s*:/g))
      if (name !== undefined && this.#params.has(name) && !given.has(name)) return true
    return false
  }

  #renew(): void {
    this.#session.close()
    this.#session = new Session(this.#path)
    this.#database = 'default'
    this.#settings.clear()
    this.#params.clear()
    this.#spoiled = false
  }
}

const literalIdentifier = (name: string): string => `\`${literal(name).slice(1, -1).replaceAll('`', '\\`')}\``
