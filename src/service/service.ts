import type { FastifyInstance } from 'fastify'
import {
  applyProvisioning,
  type FirstStartSecrets,
  firstStart,
  flagAccess,
  readProvisioning,
} from '../accounts/index.ts'
import { OtherProcesses, registerApi } from '../api/index.ts'
import { forgetMoments } from '../backup/index.ts'
import { postgresProjectDirectory, registerCapture } from '../capture/index.ts'
import { DemoLoader } from '../demo/index.ts'
import { type ClickHouse, openClickHouse, type QuestionCounts, questionCounts } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { creditedSource, openGeo } from '../events/index.ts'
import { BehaviourCohorts, LastAnswers, openFlagDirectory, SubjectReader } from '../flags/index.ts'
import { ClientAddresses } from '../http/client-address.ts'
import { closeServer, createServer } from '../http/server.ts'
import { API_QUEUE } from '../identity/index.ts'
import { startJobs } from '../jobs/index.ts'
import { freeBytes } from '../lib/free-bytes.ts'
import type { Logger } from '../lib/logger.ts'
import { type EventLog, livePartitions } from '../log/index.ts'
import { type PipelineThread, startPipelineThreads } from '../pipeline/index.ts'
import { registerWebApp } from '../web/index.ts'
import { startAdminSocket } from './admin/admin-socket.ts'
import { diagnose } from './health/doctor.ts'
import { createMetrics, type Metrics } from './health/metrics.ts'
import { registerProbes } from './health/probes.ts'
import { readiness } from './health/readiness.ts'
import { serviceStatus } from './health/status.ts'
import { LiveView } from './live-view.ts'
import { refuseHalfRestored } from './restore.ts'
import type { Services } from './services.ts'
import type { Config } from './startup/config.ts'
import { openDataFolder } from './startup/data-folder.ts'
import { clickHouseOf, type Engines, startEngines } from './startup/engines.ts'
import { refuseTakenPort } from './startup/free-port.ts'
import { openAsUser } from './startup/open-as-user.ts'
import { openLog } from './startup/open-log.ts'
import { keepPresent, settlePartitions } from './startup/partitions.ts'
import {
  has,
  isOneOfSeveral,
  needsClickHouse,
  needsLog,
  processName,
  refuseImpossible,
  sharesPartitions,
} from './startup/topology.ts'
import { Undo } from './startup/undo.ts'

/**
 * The composition root: the only place that chooses adapters and connects the parts. Parts start in the order of this
 * file and stop in the reverse order: requests first, then the pipeline, the log, and the engines last.
 */
interface Service {
  readonly url: string
  readonly secrets: FirstStartSecrets | null
  /** Finishes accepted requests and stops everything. */
  stop(): Promise<void>
}

export async function startService(config: Config, log: Logger): Promise<Service> {
  refuseImpossible(config)
  const provisioning = config.provision === undefined ? null : readProvisioning(config.provision)
  await refuseTakenPort(config)
  // Files of this process and its children are readable for their owner only.
  process.umask(0o077)
  const undo = new Undo(log)
  try {
    await openDataFolder(config.data)
    await refuseHalfRestored(config.data)
    const lock = await openAsUser(config, log)
    undo.later('data lock', () => lock.release())
    const engines = await startEngines(config, log, { clickhouse: needsClickHouse(config) })
    undo.later('engines', () => engines.stop())
    await engines.migrate()
    // Another process on the same ClickHouse may be making a backup: its next one removes what a crash left.
    if (engines.ch && !isOneOfSeveral(config)) await forgetMoments({ ch: engines.ch, data: config.data })

    if (provisioning) await applyProvisioning(engines.sql, provisioning)

    const name = await processName(config)
    const opened = needsLog(config) ? await openSettledLog(config, engines, { name, log, undo }) : null
    const eventLog = opened?.eventLog ?? null
    undo.later('log', () => eventLog?.close())
    const live = new LiveView(config, engines, name, log)
    undo.later('live view', () => live.close())
    await live.open()
    const services: Services = {
      config,
      addresses: clientAddresses(config, log),
      log,
      engines,
      eventLog,
      livePartitions: opened?.livePartitions ?? 0,
      metrics: createMetrics(),
      live,
      pipeline: null,
      projects: null,
      geo: has(config, 'capture') ? await openGeo(config, log) : null,
      flags: null,
      demo:
        has(config, 'capture') && engines.ch
          ? new DemoLoader({ clickhouse: engines.ch, sql: engines.sql, url: ownAddress(config), log })
          : null,
      name,
      startedAt: new Date(),
    }
    watchLog(services)

    if (has(config, 'pipeline') && eventLog) {
      services.pipeline = await startPipeline(services, eventLog)
      undo.later('pipeline', () => services.pipeline?.stop())
      live.attach(services.pipeline)
    }
    if (has(config, 'jobs')) {
      const clickhouse = engines.jobsCh ?? clickHouseOf(engines)
      const jobs = await startJobs({ sql: engines.sql, clickhouse, log, queues: [API_QUEUE] })
      undo.later('jobs', () => jobs.stop())
    }
    if (has(config, 'capture')) {
      const projects = await postgresProjectDirectory(engines.sql, { log })
      undo.later('project directory', () => projects.close())
      services.projects = projects
      services.flags = await openFlags(services, undo)
    }
    const admin = await startAdminSocket(services)
    undo.later('admin socket', () => closeServer(admin))
    const app = await createHttpServer(services, undo)
    await app.listen({ host: config.host, port: config.port })
    // The first to be undone: requests must not wait for a NATS that is away longer than a stop may take.
    undo.later('appends in progress', async () => eventLog?.hurry?.())
    // Last, so that a start that fails creates no secrets, which would then never be shown.
    const secrets = provisioning ? null : await firstStart(engines.sql)
    return { url: config.public_url, secrets, stop: () => undo.all() }
  } catch (error) {
    await undo.all()
    throw error
  }
}

const clientAddresses = ({ trusted_proxies }: Config, log: Logger): ClientAddresses =>
  new ClientAddresses(trusted_proxies, (peer) =>
    log.warn(
      { peer },
      'X-Forwarded-For came from an address that is not in FOOTFALL_TRUSTED_PROXIES and was ignored: all clients behind it count as one',
    ),
  )

/** The address at which this process can reach itself, whatever its public URL. */
function ownAddress({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The log, with as many partitions of live events as all processes agree on. */
async function openSettledLog(
  config: Config,
  engines: Engines,
  deps: { readonly name: string; readonly log: Logger; readonly undo: Undo },
): Promise<{ readonly eventLog: EventLog; readonly livePartitions: number }> {
  const eventLog = await openLog(config, engines, deps.log)
  try {
    const count = await settle(config, { ...deps, sql: engines.sql, eventLog })
    if (livePartitions(count).every((name) => eventLog.partitions.includes(name)))
      return { eventLog, livePartitions: count }
    // Another process has made it grow since it was opened. Now that this one is among the writers, it does not again.
    await eventLog.close()
    return { eventLog: await openLog(config, engines, deps.log), livePartitions: count }
  } catch (error) {
    await eventLog.close()
    throw error
  }
}

/** Agrees with the other processes on the partitions of live events. */
async function settle(
  config: Config,
  deps: { sql: Sql; eventLog: EventLog; name: string; log: Logger; undo: Undo },
): Promise<number> {
  const { sql, eventLog, name, log, undo } = deps
  const writer = config.nats_url !== undefined && has(config, 'capture') ? name : null
  const partitionsNow = async () => {
    await eventLog.refresh?.()
    return eventLog.status().partitions
  }
  const count = await settlePartitions(sql, { wanted: config.partitions, partitionsNow, writer, log })
  if (writer === null) return count
  const onOutdated = () => {
    log.fatal('the log has got more partitions while this process was away: it ends, and must be started again')
    process.kill(process.pid, 'SIGTERM')
  }
  const presence = keepPresent(sql, { writer, count, log, onOutdated })
  undo.later('presence as a writer', () => presence.stop())
  return count
}

function startPipeline(services: Services, eventLog: EventLog): Promise<PipelineThread> {
  const { engines, config, log, metrics, live, name } = services
  return startPipelineThreads({
    threads: config.pipeline_threads,
    start: {
      postgres: engines.postgres,
      clickhouse: engines.clickhouse,
      reader: eventLog.readerHandle(),
      yields: has(config, 'capture'),
      livePartitions: Math.max(services.livePartitions, config.partitions ?? 0),
      sharesAs: sharesPartitions(config) || config.pipeline_threads > 1 ? name : null,
      logLevel: config.log_level,
      geoip: config.geoip,
      geoip_asn: config.geoip_asn,
    },
    log,
    onBatch: ({ partition, events, warnings, deadLetters, lagMs, live: batches }) => {
      live.publish(batches)
      metrics.stall.progress()
      metrics.stored.inc({ partition }, events)
      metrics.deadLetters.inc(deadLetters)
      metrics.lag.observe(lagMs / 1000)
      for (const [reason, count] of Object.entries(warnings)) metrics.warnings.inc({ reason }, count)
    },
  })
}

/** Flags for SDKs. Behavioural cohorts are asked of ClickHouse, also by a process that needs it for nothing else. */
async function openFlags({ engines, config, log }: Services, undo: Undo): Promise<NonNullable<Services['flags']>> {
  const { sql } = engines
  const directory = await openFlagDirectory(sql, { log })
  undo.later('flag directory', () => directory.close())
  const own = engines.ch === null && config.clickhouse_url ? openClickHouse({ ...engines.clickhouse, log }) : null
  undo.later('ClickHouse for flags', () => own?.close())
  const behaviour = new BehaviourCohorts(sql, engines.ch ?? own, log)
  return {
    directory,
    subjects: new SubjectReader(sql, behaviour),
    lastAnswers: new LastAnswers(),
    keys: { access: (asked) => flagAccess(sql, asked) },
  }
}

const TOO_MANY_REQUESTS = 429

async function createHttpServer(services: Services, undo: Undo): Promise<FastifyInstance> {
  const { config, log, engines, eventLog, metrics } = services
  const app = createServer({
    log,
    addresses: services.addresses,
    connections: { onRefused: (address) => metrics.countHeldBack('connections', { address }) },
  })
  registerProbes(app, readiness(services), metrics.registry)
  const { projects, flags } = services
  if (projects && eventLog)
    await registerCapture(app, {
      log: eventLog,
      livePartitions: services.livePartitions,
      projects,
      flags: flags ?? undefined,
      addresses: services.addresses,
      geo: services.geo ?? undefined,
      onAppended: ({ path, events, bytes }) => metrics.countCaptured(path, events, bytes),
      onFlagsAnswered: ({ seconds, isPartial }) => {
        metrics.flagAnswers.observe(seconds)
        if (isPartial) metrics.partialFlagAnswers.inc()
      },
      onHeldBack: metrics.countHeldBack,
      onRefused: ({ code }) => metrics.refused.inc({ code }),
      onFailed: ({ path, error }) => log.error({ err: error, path }, 'request failed'),
    })
  if (has(config, 'api')) {
    const others = isOneOfSeveral(config) ? new OtherProcesses({ sql: engines.sql, name: services.name, log }) : null
    undo.later('messages of other processes', () => others?.close())
    await registerApi(app, {
      sql: engines.sql,
      reading: engines.reading,
      others,
      clickhouse: clickHouseOf(engines),
      log,
      live: services.live.hub,
      publicUrl: config.public_url,
      checkAnswers: config.check_answers === 'on',
      rateLimits: config.rate_limits === 'on',
      projectsChanged: async () => services.projects?.refresh(),
      now: () => new Date(),
      onAnswered: ({ resource, status, seconds, client }) => {
        metrics.answers.observe({ resource, status }, seconds)
        if (status === TOO_MANY_REQUESTS) metrics.countHeldBack('throttled', client)
      },
      system: async () => ({ status: await serviceStatus(services), findings: await diagnose(services) }),
      demo: services.demo,
      placesCredit: () => placesCredit(services),
    })
    await registerWebApp(app, { log })
  }
  undo.later('http server', () => closeServer(app))
  undo.later('live streams', async () => services.live.hub.close())
  return app
}

/** A process that takes events knows the file itself; one whose file cannot be read has placed nobody with it. */
function placesCredit({ config, geo }: Services): 'dbip' | null {
  if (!has(config, 'capture')) return creditedSource(config.geoip)
  return geo?.places ? creditedSource(geo.places.file, geo.places.type) : null
}

/** Counts only, without projects: metrics must not tell who queries what. */
function watchQuestions(metrics: Metrics, clickhouse: ClickHouse | null): void {
  if (clickhouse === null) return
  const watch = (name: keyof QuestionCounts, help: string) =>
    metrics.gauge(`questions_${name}`, help, () => questionCounts(clickhouse)[name])
  watch('running', 'Statements of projects that ClickHouse works on now')
  watch('waiting', 'Statements of projects that wait for a slot')
  watch('askers', 'Projects that have statements running or waiting')
  watch('refused', 'Statements refused since the start because their project had too many waiting')
  watch('overran', 'Statements ended since the start because they ran longer than they may')
}

function watchLog({ eventLog, metrics, engines, config }: Services): void {
  metrics.gauge('disk_free_bytes', 'Free space where the data are', () => freeBytes(config.data))
  if (eventLog) {
    metrics.gauge(
      'log_backlog_bytes',
      'Bytes in the log that are not applied yet',
      () => eventLog.status().backlogBytes,
    )
    metrics.gauge('pipeline_stalled_seconds', 'How long nothing was decided while events wait in the log', () =>
      metrics.stall.seconds(eventLog.status().backlogBytes > 0),
    )
    metrics.gauge('log_writable', 'Whether the log takes events', () => Number(eventLog.status().writable))
  }
  watchQuestions(metrics, engines.ch)
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
