import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import openapiTypescript from 'openapi-typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../../http/server.ts'
import { createLogger } from '../../lib/logger.ts'
import type { ApiContext } from '../frame/context.ts'
import { registerApi } from '../register.ts'
import type { ApiDescription } from './describe.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')
const OPTIONS = `--noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --allowImportingTsExtensions
  --target es2023 --module nodenext --lib es2023,dom`.split(/\s+/)

/** The service behind it is not asked anything: only the description is. */
async function described(): Promise<{ document: ApiDescription; page: string }> {
  const log = createLogger('silent')
  const app = createServer({ log })
  const context = { sql: {}, clickhouse: {}, live: {}, log } as unknown as ApiContext
  await registerApi(app, { ...context, publicUrl: 'http://127.0.0.1', now: () => new Date(), checkAnswers: true })
  const answer = await app.inject({ url: '/api/schema/' })
  const page = await app.inject({ url: '/api/docs/' })
  await app.close()
  expect([answer.statusCode, page.statusCode], `${answer.body} ${page.body}`).toEqual([200, 200])
  return { document: answer.json(), page: page.body }
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>>
}

describe('the description of the API', () => {
  let document: ApiDescription
  let page: string
  let operations: [name: string, operation: Operation][]
  beforeAll(async () => {
    ;({ document, page } = await described())
    operations = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.entries(methods).map(([method, it]): [string, Operation] => [`${method} ${at}`, it as Operation]),
    )
  })

  it('is a valid OpenAPI document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('refers to nothing that is not there', () => {
    const missing = referencesIn(document).filter(
      (reference) =>
        reference
          .slice(2)
          .split('/')
          .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) === undefined,
    )
    expect(missing).toEqual([])
  })

  it('gives every operation an id of its own', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  it('names every schema that refers to itself', () => {
    expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Z]\w*[A-Za-z]$/.test(name))).toEqual([])
  })

  it('says of every parameter what it is', () => {
    const untyped = operations.flatMap(([name, { parameters }]) =>
      parameters
        .filter(({ schema }) => Object.keys(schema).length === 0)
        .map((parameter) => `${name} ${parameter.name}`),
    )
    expect(untyped).toEqual([])
  })

  it('says of every answer what it is', () => {
    const untold = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([, { content }]) =>
          Object.values(content ?? {}).some(({ schema }) => Object.keys(schema).length === 0),
        )
        .map(([status]) => `${name} ${status}`),
    )
    expect(untold).toEqual([])
  })

  it('is a page for people, in which every link within the page leads somewhere', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.length).toBeGreaterThan(300)
    expect(links.filter((link) => !ids.has(link))).toEqual([])
    for (const [, { operationId }] of operations) expect(ids).toContain(operationId)
  })

  it('is enough to make a client of, which compiles', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-client-'))
    try {
      const types = await openapiTypescript(structuredClone(document) as never)
      await writeFile(path.join(folder, 'api.ts'), types)
      const compiled = async (source: string) => {
        await writeFile(path.join(folder, 'client.ts'), source)
        return spawnSync(process.execPath, [TSC, ...OPTIONS, 'client.ts'], { cwd: folder, encoding: 'utf8' }).stdout
      }
      expect(await compiled(CLIENT)).toBe('')
      expect(await compiled(CLIENT.replace('short_id satisfies string', 'short_id satisfies number'))).toContain(
        'TS1360',
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

/**
 * A client as somebody would write it on top of the types: paths, parameters, bodies and answers all follow from the
 * document.
 */
const CLIENT = `
import type { components, operations, paths } from './api.ts'

type Page = paths['/api/environments/{project_id}/persons/']['get']['responses'][200]['content']['application/json']
type Person = components['schemas']['ListedPerson']

export const emails = (page: Page): string[] =>
  page.results.map((person: Person) => String(person.properties['email'] ?? person.name))

export async function newPlaylist(
  body: NonNullable<paths['/api/environments/{project_id}/session_recording_playlists/']['post']['requestBody']>['content']['application/json'],
): Promise<string> {
  const answer = await fetch('/api/environments/1/session_recording_playlists/', { method: 'POST', body: JSON.stringify(body) })
  const playlist = (await answer.json()) as components['schemas']['Playlist']
  return playlist.short_id satisfies string
}

export const asked: keyof operations = 'get_environments_project_id_persons'
`

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}
