import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { noteAudit } from '../../accounts/index.ts'
import { holdMoment } from '../../backup/index.ts'
import { ApiError } from '../../http/errors.ts'
import { whileAllPaused } from '../../pipeline/index.ts'
import type { Services } from '../services.ts'
import { clickHouseOf } from '../startup/engines.ts'
import { sharesPartitions } from '../startup/topology.ts'

/**
 * Gives `footfall backup` a consistent moment to read. The response is one line of JSON and then stays open: the moment
 * is held as long as the connection, so it is released when the command crashes. A service that stops (`signal`) does not
 * wait for a backup, whether it holds its moment or is about to.
 */
export function registerBackupEndpoint(app: FastifyInstance, services: Services, signal: AbortSignal): void {
  const { engines, log, config, eventLog } = services
  let held = false
  let released: Promise<unknown> = Promise.resolve()
  app.post('/backup', async (_request, reply) => {
    const { pipeline } = services
    if (!pipeline)
      throw new ApiError(
        'not_found',
        'This process has not the role pipeline: run the backup with the data folder of the one that has.',
      )
    const reader = eventLog?.readerHandle()
    if (!reader || config.clickhouse_cluster)
      throw new ApiError(
        'invalid_input',
        'Replicated tables are not part of a backup: back up PostgreSQL, ClickHouse and NATS with their own tools.',
      )
    if (held) throw new ApiError('invalid_input', 'Another backup is being made: wait until it is done.')
    held = true
    try {
      // The last connection may be closed and its moment not released yet.
      await released
      // Before the moment: the backup holds the entry about itself.
      await noteAudit(engines.sql, { scope: 'Export', activity: 'backed_up', via: 'command line' })
      const { moment, release } = await holdMoment({
        ...engines,
        ch: clickHouseOf(engines),
        whilePaused: (work) =>
          sharesPartitions(config)
            ? whileAllPaused(engines.sql, { holder: services.name, signal }, work)
            : pipeline.whilePaused(work),
        reader,
        data: config.data,
        log,
        signal,
      }).catch((error) => Promise.reject(signal.aborted ? stopped() : error))
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson' })
      reply.raw.write(`${JSON.stringify(moment)}\n`)
      const letGo = () => reply.raw.destroy()
      if (signal.aborted) letGo()
      signal.addEventListener('abort', letGo)
      if (!reply.raw.destroyed) await once(reply.raw, 'close')
      signal.removeEventListener('abort', letGo)
      released = release().catch((error) => log.warn({ err: error }, 'the moment of a backup could not be released'))
    } finally {
      held = false
    }
    return reply
  })
}

const stopped = () => new ApiError('conflict', 'The service was stopped, and the backup with it: nothing was written.')
