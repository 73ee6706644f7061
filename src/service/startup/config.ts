import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { faultyNetwork } from '../../http/client-address.ts'
import { isNatsAddress, MOST_LIVE_PARTITIONS } from '../../log/index.ts'

/**
 * All settings: the key in footfall.json gives the variable (FOOTFALL_PUBLIC_URL) and the flag (--public-url). Flags
 * win over variables, variables over the file. An unknown or invalid setting stops the start with its name and the
 * reason.
 */
const ROLES = ['capture', 'pipeline', 'api', 'jobs'] as const
export type Role = (typeof ROLES)[number]

const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)), {
    error: `must be a URL starting with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
  })

const roles = z
  .string()
  .transform((text) => text.split(',').map((role) => role.trim()))
  .refine((names) => names.every((name) => name === 'all' || (ROLES as readonly string[]).includes(name)), {
    error: `must be "all" or a comma list of ${ROLES.join(', ')}`,
  })
  .transform((names): readonly Role[] => (names.includes('all') ? ROLES : ROLES.filter((role) => names.includes(role))))

const networks = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())], 'must be a comma list of addresses')
  .transform((list) => list.map((network) => network.trim()).filter((network) => network !== ''))
  .superRefine((list, context) => {
    const fault = faultyNetwork(list)
    if (fault !== null) context.addIssue(fault)
  })

const count = (most: number, least = 1) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)

/** The name of something in the configuration of ClickHouse. */
const nameOf = (what: string) => z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, `must be the name of a ${what}`)

const SETTINGS = {
  host: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  port: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0)
    .max(65_535, 'must be at most 65535')
    .default(8000),
  public_url: url('http', 'https').optional(),
  data: z.string().min(1, 'must not be empty').default('./data'),
  provision: z.string().min(1, 'must not be empty').optional(),
  roles: roles.prefault('all'),
  postgres_url: url('postgres', 'postgresql').optional(),
  /** A replica of it, for lists and searches. */
  postgres_read_url: url('postgres', 'postgresql').optional(),
  clickhouse_url: url('http', 'https').optional(),
  clickhouse_cluster: nameOf('cluster').optional(),
  /** A server of the same database for the jobs. */
  clickhouse_jobs_url: url('http', 'https').optional(),
  clickhouse_storage_policy: nameOf('storage policy').optional(),
  clickhouse_cold_volume: nameOf('volume').default('cold'),
  /** 0: old data stay where they are, also after an earlier setting. */
  clickhouse_cold_after_days: count(36_500, 0).optional(),
  nats_url: z
    .string()
    .refine(
      isNatsAddress,
      'must be a URL starting with nats:// or tls://, or several of one cluster with commas between',
    )
    .optional(),
  /** Of the log, for live events. */
  partitions: count(MOST_LIVE_PARTITIONS).optional(),
  /** MiB that may wait in the log before events are refused. */
  log_limit_mb: count(16 * 1024 * 1024).default(8 * 1024),
  pipeline_threads: count(64).default(1),
  /** A file of addresses, or `off`; ours when it is not given. */
  geoip: z.string().min(1, 'must be a path, or "off"').optional(),
  geoip_asn: z.string().min(1, 'must be a path').optional(),
  trusted_proxies: networks.prefault(''),
  rate_limits: z.enum(['on', 'off'], 'must be "on" or "off"').default('off'),
  check_answers: z.enum(['on', 'off'], 'must be "on" or "off"').default('off'),
  log_level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
    .default('info'),
}
type Key = keyof typeof SETTINGS
const KEYS = Object.keys(SETTINGS) as Key[]

export type Config = { readonly [K in Key]: z.output<(typeof SETTINGS)[K]> } & { readonly public_url: string }

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export const variableOf = (key: string): string => `FOOTFALL_${key.toUpperCase()}`

interface ConfigSources {
  readonly argv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export function loadConfig({ argv = [], env = process.env, cwd = process.cwd() }: ConfigSources = {}): Config {
  const found = new Map<Key, { value: unknown; source: string }>()
  const take = (entries: readonly Entry[]) => {
    for (const { key, value, source } of entries) found.set(key, { value, source })
  }
  take(fromFile(path.join(cwd, 'footfall.json')))
  take(fromEnvironment(env))
  take(fromFlags(argv))

  const config: Record<string, unknown> = {}
  for (const key of KEYS) {
    const given = found.get(key)
    const parsed = SETTINGS[key].safeParse(given?.value)
    if (!parsed.success) {
      throw new ConfigError(
        `${given?.source ?? key}: ${parsed.error.issues[0]?.message} (got ${JSON.stringify(given?.value)})`,
      )
    }
    config[key] = parsed.data
  }
  config.data = path.resolve(cwd, config.data as string)
  if (config.provision) config.provision = path.resolve(cwd, config.provision as string)
  if (config.geoip && config.geoip !== 'off') config.geoip = path.resolve(cwd, config.geoip as string)
  if (config.geoip_asn) config.geoip_asn = path.resolve(cwd, config.geoip_asn as string)
  config.public_url = (
    (config.public_url as string | undefined) ?? `http://${urlHost(config.host as string)}:${config.port}`
  ).replace(/\/+$/, '')
  return config as Config
}

interface Entry {
  readonly key: Key
  readonly value: unknown
  readonly source: string
}

function fromFile(file: string): Entry[] {
  if (!existsSync(file)) return []
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new ConfigError(`${file} must hold a JSON object`)
  return Object.entries(content).map(([name, value]) => ({
    key: known(name, name, file),
    value,
    source: `${file}: ${name}`,
  }))
}

function fromEnvironment(env: NodeJS.ProcessEnv): Entry[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('FOOTFALL_') && value !== undefined && value !== '')
    .map(([name, value]) => ({
      key: known(name.slice('FOOTFALL_'.length).toLowerCase(), name, 'the environment'),
      value,
      source: name,
    }))
}

function fromFlags(argv: readonly string[]): Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', inline] = (argv[i] as string).split(/=(.*)/s)
    if (!flag.startsWith('--')) throw new ConfigError(`unexpected argument "${flag}"`)
    const value = inline ?? argv[++i]
    if (value === undefined) throw new ConfigError(`${flag} needs a value`)
    entries.push({ key: known(flag.slice(2).replaceAll('-', '_'), flag, 'the command line'), value, source: flag })
  }
  return entries
}

function known(key: string, name: string, where: string): Key {
  if ((KEYS as string[]).includes(key)) return key as Key
  throw new ConfigError(`unknown setting ${name} in ${where}. Known: ${KEYS.map(variableOf).join(', ')}`)
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)
