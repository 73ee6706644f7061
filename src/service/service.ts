import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { applyProvisioning, type FirstStartSecrets, firstStart, readProvisioning } from '../accounts/index.ts'
import { API_LANE, registerApi } from '../api/index.ts'
import { postgresProjectDirectory, registerCapture } from '../capture/index.ts'
import { DemoLoader } from '../demo/index.ts'
import { acquireDataLock } from '../engines/data-lock.ts'
import { createServer } from '../http/server.ts'
import { startJobs } from '../jobs/index.ts'
import type { Logger } from '../lib/logger.ts'
import { LiveHub } from '../live/index.ts'
import { openSegmentLog, PARTITIONS } from '../log/index.ts'
import { type PipelineThread, startPipelineThread } from '../pipeline/index.ts'
import { registerWebApp } from '../web/index.ts'
import { startAdminSocket } from './admin-socket.ts'
import type { Config, Role } from './config.ts'
import { ConfigError } from './config.ts'
import { diagnose } from './doctor.ts'
import { type Engines, startEngines } from './engines.ts'
import { refuseTakenPort } from './free-port.ts'
import type { House } from './house.ts'
import { createMetrics } from './metrics.ts'
import { type Readiness, registerProbes } from './probes.ts'
import { serviceStatus } from './status.ts'
import { Undo } from './undo.ts'

/**
 * The composition root: the only place that chooses adapters and knows who needs whom. Things start in the order of this file and stop in
 * the reverse order: requests first, then the pipeline, the log, and the engines last.
 */
export interface Service {
  readonly url: string
  readonly secrets: FirstStartSecrets | null
  /** Finishes what was accepted and ends. */
  stop(): Promise<void>
}

export async function startService(config: Config, log: Logger): Promise<Service> {
  refuseUnbuilt(config)
  const provisioning = config.provision === undefined ? null : readProvisioning(config.provision)
  await refuseTakenPort(config)
  const undo = new Undo(log)
  try {
    await openDataFolder(config.data)
    const lock = await acquireDataLock(config.data)
    undo.later('data lock', () => lock.release())
    const engines = await startEngines(config, log)
    undo.later('engines', () => engines.stop())

    if (provisioning) await applyProvisioning(engines.sql, provisioning)

    const eventLog = await openSegmentLog({
      dir: path.join(config.data, 'log'),
      partitions: PARTITIONS,
      released: await appliedPositions(engines),
      log,
    })
    undo.later('log', () => eventLog.close())
    const house: House = {
      config,
      log,
      engines,
      eventLog,
      metrics: createMetrics(),
      live: new LiveHub((projects) => house.pipeline?.watch(projects)),
      pipeline: null,
      projects: null,
      demo: has(config, 'capture') ? new DemoLoader({ clickhouse: engines.ch, url: ownAddress(config), log }) : null,
      startedAt: new Date(),
    }
    watchLog(house)

    if (has(config, 'pipeline')) {
      house.pipeline = await startPipeline(house)
      undo.later('pipeline', () => house.pipeline?.stop())
    }
    if (has(config, 'jobs')) {
      const jobs = await startJobs({ sql: engines.sql, clickhouse: engines.ch, log, lanes: [API_LANE] })
      undo.later('jobs', () => jobs.stop())
    }
    const admin = await startAdminSocket(house)
    undo.later('admin socket', () => admin.close())
    const app = await openDoors(house, undo)
    await app.listen({ host: config.host, port: config.port })
    // Last, so that the secrets are not made by a start that fails and never shows them.
    const secrets = provisioning ? null : await firstStart(engines.sql)
    return { url: config.public_url, secrets, stop: () => undo.all() }
  } catch (error) {
    await undo.all()
    throw error
  }
}

/** Where this process can reach itself, whatever it is called outside. */
function ownAddress({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const has = (config: Config, role: Role) => config.roles.includes(role)

/**
 * A setting that changes nothing would deceive whoever made it. The embedded log lives in one process: capture in one and pipeline in
 * another need a log they can both reach.
 */
function refuseUnbuilt(config: Config): void {
  if (config.clickhouse_cluster)
    throw new ConfigError(
      'FOOTFALL_CLICKHOUSE_CLUSTER: replicated tables are not available yet; leave it out to use one ClickHouse server',
    )
  if (config.nats_url)
    throw new ConfigError('FOOTFALL_NATS_URL: the NATS log is not available yet; leave it out to use the embedded log')
  if (has(config, 'capture') !== has(config, 'pipeline')) {
    throw new ConfigError(
      'FOOTFALL_ROLES: capture and pipeline can only be separated with FOOTFALL_NATS_URL, because the embedded log belongs to one process',
    )
  }
}

async function openDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`FOOTFALL_DATA: ${folder} cannot be made or written to: ${(error as Error).message}`)
  }
}

/** One level at a time: where nothing can be made, such as /proc, Node 20 tries the recursive way for ever. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (code !== 'ENOENT' || path.dirname(folder) === folder) throw error
    await makeFolder(path.dirname(folder))
    await mkdir(folder)
  }
}

async function appliedPositions({ sql }: Engines): Promise<Record<string, number>> {
  const rows = await sql<{ partition: string; position: number }[]>`SELECT partition, position FROM pipeline_positions`
  return Object.fromEntries(rows.map(({ partition, position }) => [partition, position]))
}

function startPipeline({ engines, eventLog, config, log, metrics, live }: House): Promise<PipelineThread> {
  return startPipelineThread({
    start: {
      postgres: engines.postgres,
      clickhouse: engines.clickhouse,
      reader: eventLog.readerHandle(),
      logLevel: config.log_level,
    },
    log,
    onBatch: ({ partition, events, warnings, deadLetters, lagMs, live: batches }) => {
      live.publish(batches)
      metrics.stored.inc({ partition }, events)
      metrics.deadLetters.inc(deadLetters)
      metrics.lag.observe(lagMs / 1000)
      for (const [reason, count] of Object.entries(warnings)) metrics.warnings.inc({ reason }, count)
    },
  })
}

async function openDoors(house: House, undo: Undo): Promise<FastifyInstance> {
  const { config, log, engines, eventLog, metrics } = house
  const app = createServer({ log })
  registerProbes(app, readiness(house), metrics.registry)
  if (has(config, 'capture')) {
    const projects = await postgresProjectDirectory(engines.sql, { log })
    undo.later('project directory', () => projects.close())
    house.projects = projects
    await registerCapture(app, {
      log: eventLog,
      projects,
      onAppended: ({ path, events, bytes }) => metrics.countCaptured(path, events, bytes),
      onRefused: ({ code }) => metrics.refused.inc({ code }),
      onFailed: ({ path, error }) => log.error({ err: error, path }, 'request failed'),
    })
  }
  if (has(config, 'api')) {
    await registerApi(app, {
      sql: engines.sql,
      clickhouse: engines.ch,
      log,
      live: house.live,
      publicUrl: config.public_url,
      rateLimits: config.rate_limits === 'on',
      projectsChanged: async () => house.projects?.refresh(),
      now: () => new Date(),
      system: async () => ({ status: await serviceStatus(house), findings: await diagnose(house) }),
      demo: house.demo,
    })
    await registerWebApp(app, { log })
  }
  undo.later('http server', () => app.close())
  undo.later('live streams', async () => house.live.close())
  return app
}

function readiness({ engines, eventLog, pipeline, config }: House): Readiness {
  return async () => {
    const { writable, reason } = eventLog.status()
    const [postgres, clickhouse] = await Promise.all([
      engines.sql`SELECT 1`.then(
        () => true,
        () => false,
      ),
      engines.ch.ping().catch(() => false),
    ])
    const pipelineRuns = !has(config, 'pipeline') || pipeline?.running === true
    const missing = [
      ...(postgres ? [] : ['postgres does not answer']),
      ...(clickhouse ? [] : ['clickhouse does not answer']),
      ...(writable ? [] : [`the log takes no events: ${reason}`]),
      ...(pipelineRuns ? [] : ['the pipeline is not running']),
    ]
    return { missing, details: { roles: config.roles } }
  }
}

function watchLog({ eventLog, metrics, engines }: House): void {
  metrics.gauge('log_backlog_bytes', 'Bytes in the log that are not applied yet', () => eventLog.status().backlogBytes)
  metrics.gauge('log_writable', 'Whether the log takes events', () => Number(eventLog.status().writable))
  metrics.gauge(
    'clickhouse_restarts',
    'How often the embedded ClickHouse was restarted',
    () => engines.embeddedClickHouse?.restarts ?? 0,
  )
  metrics.gauge(
    'postgres_restarts',
    'How often the embedded PostgreSQL was restarted',
    () => engines.embeddedPostgres?.restarts ?? 0,
  )
}
