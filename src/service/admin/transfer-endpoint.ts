import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { noteAudit } from '../../accounts/index.ts'
import { registerCapture } from '../../capture/index.ts'
import { parsedBy } from '../../contract/parsed-by.ts'
import { ApiError } from '../../http/errors.ts'
import { IDENTITY_LINES, savedThings, storeIdentities, storeSaved } from '../../transfer/index.ts'
import type { Services } from '../services.ts'
import { clickHouseOf } from '../startup/engines.ts'
import { projectFor } from './project-for.ts'

/**
 * Endpoints for `footfall export` and `footfall import`. Events use the capture paths, as on the public port; but
 * requests have no client address here, so none is added to imported events.
 */
export async function registerTransferEndpoints(app: FastifyInstance, services: Services): Promise<void> {
  const { engines, log, eventLog } = services
  app.get('/connections', async (request) => {
    const asked = parsedBy(CONNECTIONS, request.query)
    if (!asked.success) throw new ApiError('invalid_input', asked.error.issues[0]?.message)
    const project = await projectFor(engines.sql, asked.data.project)
    await noteAudit(engines.sql, {
      ...NOTED[asked.data.for],
      via: 'command line',
      organizationId: project.organization_id,
      projectId: project.id,
      itemId: String(project.id),
    })
    return {
      project,
      postgres: engines.postgres,
      clickhouse: engines.clickhouse,
    }
  })
  app.post('/identities', async (request) => {
    const batch = parsedBy(BATCH, request.body)
    if (!batch.success) throw new ApiError('invalid_input', batch.error.issues[0]?.message)
    return { stored: await storeIdentities({ sql: engines.sql, clickhouse: clickHouseOf(engines), log }, batch.data) }
  })
  app.post('/saved-content', async (request) => {
    const asked = parsedBy(SAVED, request.body)
    if (!asked.success) throw new ApiError('invalid_input', asked.error.issues[0]?.message)
    const project = await projectFor(engines.sql, asked.data.project)
    const stored = await storeSaved(engines.sql, project.id, asked.data.documents.flatMap(savedThings))
    await noteAudit(engines.sql, {
      scope: 'Project',
      activity: 'insights_imported',
      via: 'command line',
      organizationId: project.organization_id,
      projectId: project.id,
      itemId: String(project.id),
    })
    return { project: project.id, name: project.name, ...stored }
  })
  if (!services.projects || !eventLog) return
  await registerCapture(app, {
    log: eventLog,
    livePartitions: services.livePartitions,
    projects: services.projects,
    onAppended: ({ path, events, bytes }) => services.metrics.countCaptured(path, events, bytes),
    onFailed: ({ path, error }) => log.error({ err: error, path }, 'request failed'),
  })
}

const CONNECTIONS = z.object({
  project: z.coerce.number().int().positive().optional(),
  for: z.enum(['export', 'import']),
})

const SAVED = z.object({ project: z.int().positive().optional(), documents: z.array(z.unknown()) })

const NOTED = {
  export: { scope: 'Export', activity: 'exported' },
  import: { scope: 'Project', activity: 'events_imported' },
} as const

const BATCH = z.object({
  project: z.int().positive(),
  kind: z.enum(Object.keys(IDENTITY_LINES) as [keyof typeof IDENTITY_LINES]),
  lines: z.array(z.unknown()),
})
