/** Requests made of an OpenAPI document: mostly what it asks for, often not, always the same from the same seed. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly body: Schema | undefined
}

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly format?: string
}

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Record<
        string,
        {
          readonly parameters?: Operation['parameters']
          readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
        }
      >
    >
  >
}

export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
    })),
  )

const STRINGS = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  'null',
  'true',
  '@current',
  '../../etc/passwd',
  "' OR 1=1 --",
  '{{7*7}}',
  '%00',
  '\u0000',
  '\ud800',
  '\uE0F712',
  '\u202Eabc',
  'a'.repeat(5_000),
  '😀'.repeat(50),
  '2024-01-01',
  '-7d',
  '9999-12-31T23:59:59Z',
  '-99999999d',
  '[',
  '(a+)+$',
  '{"a":1}',
  '$pageview',
  'properties.x',
  'count()',
  '01890000-0000-7000-8000-000000000000',
]
const NUMBERS = [0, -0, 1, -1, 2, 10, 0.5, 255, 2 ** 31, 2 ** 53, 2 ** 64, -(2 ** 63), 1e308, 5e-324]
/** As texts of JSON: some of them no program could write. */
const RAW = [
  '1e400',
  '-1e400',
  '12345678901234567890123',
  '{"__proto__":{"admin":true}}',
  '{"toString":1,"valueOf":1}',
  '{"length":{"toString":1,"valueOf":1}}',
  '[[[[[[[[[[]]]]]]]]]]',
]
const KEYS = ['__proto__', 'constructor', 'toString', 'length', '', 'a.b', '$set', 'id', 'type', 'key', 'value', 'kind']

const KINDS = [
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'LifecycleQuery',
  'StickinessQuery',
  'PathsQuery',
  'FunnelCorrelationQuery',
  'HogQLQuery',
  'EventsQuery',
  'ActorsQuery',
  'InsightActorsQuery',
  'FunnelsActorsQuery',
  'RecordingsQuery',
  'InsightVizNode',
  'DataTableNode',
]
const FIELDS =
  `series dateRange date_from date_to interval properties breakdownFilter breakdown breakdowns breakdown_type trendsFilter
  display formula funnelsFilter funnelVizType funnelWindowInterval exclusions retentionFilter period totalIntervals targetEntity
  returningEntity pathsFilter stepLimit includeEventTypes startPoint endPoint compareFilter compare samplingFactor filterTestAccounts
  aggregation_group_type_index source query values variables select where orderBy limit offset event math math_property
  math_hogql kind type key value operator id name steps filters groups events actions insight entity_id`.split(/\s+/)
const SQL =
  `select from events where group by order limit 1 10 count() * properties.x person.properties.y timestamp 'a' ( ) , = + - now()
  distinct_id arrayMap(x -> x, [1]) toDate( with as union all join on persons {filters} {variables.v} if( null and or in`.split(
    /\s+/,
  )

export class Fuzzer {
  #state: number
  readonly #schemas: Readonly<Record<string, Schema>>

  /** `schemas` are those of the document that its operations refer to. */
  constructor(seed: number, schemas: Readonly<Record<string, Schema>> = {}) {
    this.#state = seed >>> 0
    this.#schemas = schemas
  }

  request(operations: readonly Operation[], ids: readonly string[]): FuzzRequest {
    const { method, path, parameters, body } = this.#pick(operations)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(wellFormed(name === 'project_id' && this.#chance(0.95) ? '1' : this.#pathPart(ids))),
    )
    const query = parameters
      .filter(({ in: where }) => where === 'query' && this.#chance(0.4))
      .map(
        ({ name, schema }) => `${encodeURIComponent(this.#name(name))}=${encodeURIComponent(this.#queryText(schema))}`,
      )
    const address = query.length === 0 ? filled : `${filled}?${query.join('&')}`
    if (method === 'GET' || (method === 'DELETE' && this.#chance(0.8))) return { method, path: address }
    return { method, path: address, ...this.#body(path, body) }
  }

  #body(path: string, schema: Schema | undefined): Pick<FuzzRequest, 'body' | 'contentType'> {
    if (this.#chance(0.02))
      return { body: this.#pick(['{', '[1,', 'nul', '"', '\u0000']), contentType: 'application/json' }
    if (this.#chance(0.02))
      return { body: 'a[b]=1&a[]=2&a=3&filters={', contentType: 'application/x-www-form-urlencoded' }
    const text = JSON.stringify(this.#bodyValue(path, schema)) ?? 'null'
    // Spliced in, because no value of JavaScript becomes these.
    return {
      body: this.#chance(0.05) ? text.replace(/(?<=:)(?:\d+|null)(?=[,}\]])/, this.#pick(RAW)) : text,
      contentType: 'application/json',
    }
  }

  #bodyValue(path: string, schema: Schema | undefined): unknown {
    if (/\/query\/$/.test(path))
      return { query: this.#node(3), ...(this.#chance(0.2) ? { refresh: this.#any(1) } : {}) }
    if (/\/insights\//.test(path) && this.#chance(0.5))
      return this.#chance(0.5) ? { query: this.#node(3) } : this.#node(3)
    return this.#chance(0.9) && schema ? this.#ofSchema(schema, 4) : this.#any(3)
  }

  /** A question, or something like one. */
  #node(depth: number): Record<string, unknown> {
    const kind = this.#pick(KINDS)
    const node: Record<string, unknown> = { kind }
    if (this.#chance(0.7)) node.series = [{ kind: 'EventsNode', event: this.#pick(['$pageview', null, 'e']) }]
    if (kind === 'HogQLQuery') node.query = Array.from({ length: 2 + this.#below(12) }, () => this.#pick(SQL)).join(' ')
    if (kind === 'EventsQuery') node.select = ['*', 'event', 'count()'].slice(0, 1 + this.#below(3))
    if (depth > 0 && /Viz|Table|Actors|Correlation/.test(kind)) node.source = this.#node(depth - 1)
    for (let more = this.#below(4); more > 0; more--) node[this.#pick(FIELDS)] = this.#field(depth)
    return node
  }

  #field(depth: number): unknown {
    if (depth <= 0 || this.#chance(0.3)) return this.#scalar()
    if (this.#chance(0.3)) return Array.from({ length: this.#below(3) }, () => this.#field(depth - 1))
    if (this.#chance(0.2)) return this.#node(depth - 1)
    return Object.fromEntries(
      Array.from({ length: this.#below(4) }, () => [this.#pick(FIELDS), this.#field(depth - 1)]),
    )
  }

  #ofSchema(given: Schema, depth: number): unknown {
    const schema = given.$ref === undefined ? given : (this.#schemas[given.$ref.split('/').at(-1) ?? ''] ?? {})
    if (depth <= 0 || this.#chance(0.12)) return this.#any(1)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return this.#pick(schema.enum)
    const several = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (several && several.length > 0) return this.#ofSchema(this.#pick(several), depth)
    const type = typeof schema.type === 'string' || schema.type === undefined ? schema.type : this.#pick(schema.type)
    switch (type) {
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).filter(() => this.#chance(0.6))
        const value = entries.map(([name, of]) => [this.#name(name), this.#ofSchema(of, depth - 1)] as const)
        return Object.fromEntries(schema.properties ? value : Object.entries(this.#node(2)))
      }
      case 'array':
        return Array.from({ length: this.#below(4) }, () => this.#ofSchema(schema.items ?? {}, depth - 1))
      case 'integer':
      case 'number':
        return this.#pick(NUMBERS)
      case 'boolean':
        return this.#chance(0.5)
      case 'null':
        return null
      case 'string':
        return schema.format === 'uuid' ? '01890000-0000-7000-8000-000000000000' : this.#pick(STRINGS)
      default:
        return this.#any(depth - 1)
    }
  }

  #any(depth: number): unknown {
    if (depth <= 0 || this.#chance(0.5)) return this.#scalar()
    if (this.#chance(0.5)) return Array.from({ length: this.#below(4) }, () => this.#any(depth - 1))
    return Object.fromEntries(Array.from({ length: this.#below(4) }, () => [this.#pick(KEYS), this.#any(depth - 1)]))
  }

  #scalar(): unknown {
    return this.#pick<unknown>([this.#pick(STRINGS), this.#pick(NUMBERS), null, true, false])
  }

  #queryText(schema: Schema): string {
    const value = this.#ofSchema(schema, 2)
    return wellFormed(typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value))
  }

  #pathPart(ids: readonly string[]): string {
    const part = this.#chance(0.7) ? this.#pick(ids) : this.#pick(STRINGS)
    return part === '' || part.length > 900 ? '1' : part
  }

  #name = (name: string): string => (this.#chance(0.03) ? this.#pick(KEYS) : name)
  #pick<T>(among: readonly T[]): T {
    return among[this.#below(among.length)] as T
  }
  #chance = (of: number): boolean => this.#next() < of
  #below = (limit: number): number => Math.floor(this.#next() * limit)

  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Half a pair of surrogates cannot stand in an address. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
