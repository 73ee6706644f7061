import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { holdMoment } from '../backup/index.ts'
import { ApiError } from '../http/errors.ts'
import { clickHouseOf } from './engines.ts'
import type { House } from './services.ts'

/**
 * Where `footfall backup` gets the moment it writes down. The answer is one line of JSON and then silence: the moment is held as long as
 * the connection is, so a command that dies lets go of it.
 */
export function registerBackupDoor(app: FastifyInstance, house: House): void {
  const { engines, log, config, eventLog } = house
  let held = false
  let holder: ServerResponse | null = null
  let released: Promise<unknown> = Promise.resolve()
  app.post('/backup', async (_request, reply) => {
    const { pipeline } = house
    if (!pipeline)
      throw new ApiError(
        'not_found',
        'This process has not the role pipeline: run the backup with the data folder of the one that has.',
      )
    const reader = eventLog?.readerHandle()
    if (!reader || !('shared' in reader) || config.clickhouse_cluster)
      throw new ApiError(
        'invalid_input',
        'NATS and replicated tables are not part of a backup: back up PostgreSQL, ClickHouse and NATS with their own tools.',
      )
    if (held) throw new ApiError('invalid_input', 'Another backup is being made: wait until it is done.')
    held = true
    try {
      // The last one may be gone and its moment not yet.
      await released
      const { moment, release } = await holdMoment({
        ...engines,
        ch: clickHouseOf(engines),
        pipeline,
        reader,
        data: config.data,
        log,
      })
      reply.hijack()
      holder = reply.raw
      reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson' })
      reply.raw.write(`${JSON.stringify(moment)}\n`)
      if (!reply.raw.destroyed) await once(reply.raw, 'close')
      released = release().catch((error) => log.warn({ err: error }, 'a backup could not be let go of'))
    } finally {
      held = false
      holder = null
    }
    return reply
  })
  // A service that stops waits for nobody's backup.
  app.addHook('preClose', async () => {
    holder?.destroy()
  })
}
