import { type OwnClickHouse, startOwnClickHouse } from './clickhouse.ts'
import { startTestNats, type TestNats } from './nats.ts'
import { type OwnPostgres, startOwnPostgres } from './postgres.ts'
import { startTestService, type TestService } from './service.ts'

/**
 * Servers as a company runs them (one PostgreSQL, one ClickHouse, one or three NATS), and processes of Footfall on them, each in a data
 * folder of its own. The PostgreSQL and the ClickHouse are our own embedded ones, held by the test: the processes get their addresses.
 */
export interface TestCluster {
  readonly postgres: OwnPostgres
  readonly engine: OwnClickHouse
  readonly nats: TestNats
  /** Starts a process with these roles, or again in the folder of one that was killed. */
  start(roles: string, again?: TestService, more?: Record<string, string>): Promise<TestService>
  stop(): Promise<void>
}

export async function startTestCluster(
  options: { readonly natsNodes?: 1 | 3; readonly env?: Record<string, string> } = {},
): Promise<TestCluster> {
  const [postgres, engine, nats] = await Promise.all([
    startOwnPostgres(),
    startOwnClickHouse(),
    startTestNats({ nodes: options.natsNodes ?? 1 }),
  ])
  const env = {
    FOOTFALL_POSTGRES_URL: postgres.url,
    FOOTFALL_NATS_URL: nats.url,
    ...options.env,
  }
  const clickhouse = { FOOTFALL_CLICKHOUSE_URL: engine.server.address('cluster') }
  const running = new Set<TestService>()
  return {
    postgres,
    engine,
    nats,
    async start(roles, again, more = {}) {
      if (again) running.delete(again)
      // A start without a server ends after a while: whoever runs processes starts them again then.
      await Promise.all([postgres.embedded.whenReady(), engine.embedded.whenReady()])
      const service = await startTestService({
        // Capture alone is told of no ClickHouse.
        env: {
          ...env,
          ...(roles === 'capture' ? {} : clickhouse),
          FOOTFALL_ROLES: roles,
          ...more,
        },
        ...(again ? { data: again.data } : {}),
      })
      running.add(service)
      return service
    },
    async stop() {
      try {
        await Promise.all([...running].map((service) => service.stop()))
      } finally {
        await Promise.all([postgres.stop(), engine.stop(), nats.stop()])
      }
    },
  }
}
