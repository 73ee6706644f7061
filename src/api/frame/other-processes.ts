import type { z } from 'zod'
import type { Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'

/**
 * Short messages between the processes that serve the API on one database, through LISTEN and NOTIFY of Postgres. A
 * message may be lost when a connection is: what must not be lost is in a table.
 */
type Topic = 'rate_counts' | 'cancel_question' | 'question_cancelled'

interface OtherProcessesOptions {
  readonly sql: Sql
  /** The name of this process: its own messages come back to it, and are left aside. */
  readonly name: string
  readonly log: Logger
}

export class OtherProcesses {
  readonly #options: OtherProcessesOptions
  readonly #unlisten: (() => Promise<void>)[] = []
  #closed = false

  constructor(options: OtherProcessesOptions) {
    this.#options = options
  }

  async hear<T>(topic: Topic, schema: z.ZodType<T>, take: (message: T) => void): Promise<void> {
    const { sql, name, log } = this.#options
    const { unlisten } = await sql.listen(channelOf(topic), (payload) => {
      const [from, text] = [payload.slice(0, payload.indexOf(' ')), payload.slice(payload.indexOf(' ') + 1)]
      if (from === name) return
      const message = schema.safeParse(parsed(text))
      if (message.success) take(message.data)
      else log.warn({ topic, from }, 'a message of another process could not be read: is it of another version?')
    })
    this.#unlisten.push(unlisten)
  }

  /** At most about 8 kB: the limit of Postgres. */
  async tell(topic: Topic, message: object): Promise<void> {
    if (this.#closed) return
    const { sql, name } = this.#options
    await sql`SELECT pg_notify(${channelOf(topic)}, ${`${name} ${JSON.stringify(message)}`})`
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#unlisten.map((unlisten) => unlisten()))
  }
}

const channelOf = (topic: Topic): string => `footfall_${topic}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
