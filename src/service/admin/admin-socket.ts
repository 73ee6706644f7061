import { chmod, rm } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  type AuditEntry,
  createPersonalKey,
  createProject,
  createSignInLink,
  findUserByEmail,
  isScope,
  noteAudit,
} from '../../accounts/index.ts'
import { parsedBy } from '../../contract/parsed-by.ts'
import { ApiError } from '../../http/errors.ts'
import { createServer } from '../../http/server.ts'
import { deletionRecord, listDeletions, runDeletionsNow } from '../../jobs/index.ts'
import { asText } from '../../lib/json.ts'
import { diagnose } from '../health/doctor.ts'
import { serviceStatus } from '../health/status.ts'
import type { Services } from '../services.ts'
import { clickHouseOf } from '../startup/engines.ts'
import { adminSocketPath } from './admin-path.ts'
import { registerBackupEndpoint } from './backup-endpoint.ts'
import { projectFor } from './project-for.ts'
import { registerTransferEndpoints } from './transfer-endpoint.ts'

/**
 * The admin socket: a Unix socket in the data folder, which only users who may read the folder can reach. The command
 * line uses it, so a command always works on the running service.
 */
export async function startAdminSocket(services: Services): Promise<FastifyInstance> {
  const { engines, log, config } = services
  const app = createServer({ log })
  // A service that stops does not wait for work that may take hours.
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  app.get('/status', () => serviceStatus(services))
  app.get('/doctor', () => diagnose(services))
  const userOf = async (email: string) => {
    const user = await findUserByEmail(engines.sql, email)
    if (!user) throw new ApiError('not_found', `There is no user with the e-mail ${email}.`)
    return user
  }
  const exists = async (project: number) =>
    (
      await engines.sql`
        SELECT 1 FROM projects WHERE id = ${project} AND id NOT IN (SELECT project_id FROM deleted_projects)`
    ).length > 0
  const note = (entry: Omit<AuditEntry, 'via'>) => noteAudit(engines.sql, { ...entry, via: 'command line' })
  app.post('/sign-in-links', async (request) => {
    const user = await userOf(read(SIGN_IN, request.body).email)
    const token = await createSignInLink(engines.sql, user.id)
    await note({ scope: 'User', activity: 'sign_in_link_created', user, itemId: user.uuid })
    return { token, url: `${config.public_url}/sign-in?token=${token}` }
  })
  app.post('/keys', async (request) => {
    const { email, label, scopes, project } = read(NEW_KEY, request.body)
    const user = await userOf(email)
    if (project !== undefined && !(await exists(project)))
      throw new ApiError('not_found', `There is no project ${project}.`)
    const { key, value } = await createPersonalKey(engines.sql, {
      userId: user.id,
      label,
      scopes,
      ...(project === undefined ? {} : { scopedProjects: [project] }),
    })
    await note({ scope: 'PersonalAPIKey', activity: 'created', user, itemId: key.id, detail: { name: label, scopes } })
    return {
      id: key.id,
      label: key.label,
      value,
      scopes: key.scopes,
      scoped_projects: key.scoped_projects,
      email: user.email,
    }
  })
  app.get(
    '/projects',
    () => engines.sql`
      SELECT id, name, api_token, timezone FROM projects
      WHERE id NOT IN (SELECT project_id FROM deleted_projects) ORDER BY id`,
  )
  app.post('/projects', async (request) => {
    const { name } = read(NEW_PROJECT, request.body)
    const [organization] = await engines.sql<
      { id: string }[]
    >`SELECT id FROM organizations ORDER BY created_at, id LIMIT 1`
    if (!organization)
      throw new ApiError('not_found', 'There is no organisation yet: start the service once, or provision one.')
    const project = await createProject(engines.sql, { organizationId: organization.id, name })
    await note({
      scope: 'Project',
      activity: 'created',
      itemId: String(project.id),
      detail: { name },
      organizationId: organization.id,
    })
    await services.projects?.refresh()
    return { id: project.id, name: project.name, api_token: project.api_token, timezone: project.timezone }
  })
  const demoOf = async (asked: unknown) => {
    const { project, visitors } = read(DEMO, asked)
    const found = await projectFor(engines.sql, project)
    if (!services.demo)
      throw new ApiError(
        'not_found',
        'This process does not take events: run the command with the data folder of one that does.',
      )
    return { found, demo: services.demo, options: visitors === undefined ? {} : { visitors } }
  }
  app.post('/demo', async (request) => {
    const { found, demo, options } = await demoOf(request.body ?? {})
    return { project: found.id, name: found.name, ...demo.begin(found, options) }
  })
  app.get('/demo', async (request) => {
    const { found, demo } = await demoOf(request.query)
    return { project: found.id, name: found.name, ...(demo.progress(found.id) ?? {}) }
  })
  app.get('/deletions', async () => (await listDeletions(engines.sql)).deletions.map(deletionRecord))
  app.post('/deletions/run', async () => {
    if (engines.ch === null)
      throw new ApiError(
        'not_found',
        'This process has no ClickHouse: run the command with the data folder of one with the role jobs.',
      )
    const { signal } = stopping
    const run = runDeletionsNow({ sql: engines.sql, clickhouse: clickHouseOf(engines), log }, signal)
    const done = new Set(await run.catch((error) => Promise.reject(signal.aborted ? runStopped() : error)))
    if (signal.aborted) throw runStopped()
    const { deletions } = await listDeletions(engines.sql, { limit: 10_000 })
    return deletions.filter(({ id, status }) => done.has(id) || status === 'pending').map(deletionRecord)
  })
  registerBackupEndpoint(app, services, stopping.signal)
  await registerTransferEndpoints(app, services)
  const socket = await adminSocketPath(config.data)
  // A socket file left by a killed process; we have the data lock, so no process listens on it.
  await rm(socket, { force: true })
  await app.listen({ path: socket })
  await chmod(socket, 0o600)
  return app
}

const runStopped = () =>
  new ApiError(
    'conflict',
    'The service was stopped during the run. What was done remains done; what is still pending is done by the next run.',
  )

const NEW_KEY = z.object({
  email: z.string().min(1),
  label: z.string().min(1).max(40),
  scopes: z
    .array(
      z.string().refine(isScope, {
        error: (issue) => `"${asText(issue.input)}" is not a scope; use for example person:read, insight:read or *`,
      }),
    )
    .min(1),
  project: z.int().positive().optional(),
})

const SIGN_IN = z.object({ email: z.string().min(1) })

const DEMO = z.object({
  project: z.coerce.number().int().positive().optional(),
  visitors: z.int().min(1).max(100_000).optional(),
})

const NEW_PROJECT = z.object({ name: z.string().trim().min(1).max(200) })

function read<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = parsedBy(schema, body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ApiError('invalid_input', issue?.message, { attr: issue?.path.map(String).join('.') ?? null })
}
