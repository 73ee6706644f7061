import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dateTime } from '../../contract/answer-fields.ts'
import { ApiError } from '../../http/errors.ts'
import { createServer } from '../../http/server.ts'
import { createLogger } from '../../lib/logger.ts'
import { type AnswerOf, noContent, streamOf } from './answer.ts'
import { checkAnswers } from './check-answers.ts'
import type { ApiContext, PublicCall } from './context.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { ApiRoutes } from './route.ts'

const THING = z.object({ id: z.int(), made_at: dateTime, owner: z.object({ name: z.string() }).nullable() })
const thing = { id: 1, made_at: new Date(0), owner: { name: 'Ada' } }

describe('an answer', () => {
  let app: FastifyInstance
  afterEach(() => app.close())

  /** What a handler does, as a client meets it. */
  async function answered(
    answer: AnswerOf,
    handle: (call: PublicCall) => unknown,
    more: Partial<AnyEndpoint> = {},
  ): Promise<[status: number, said: unknown]> {
    const log = createLogger('silent')
    app = createServer({ log })
    checkAnswers(app, log)
    const context = { log, publicUrl: 'http://127.0.0.1', now: () => new Date() } as unknown as ApiContext
    const routes = new ApiRoutes(app, context)
    routes.add('/api/things/', { GET: { summary: 'Things', scope: null, access: 'anyone', answer, handle, ...more } })
    const { statusCode, body, headers } = await app.inject({ url: '/api/things/' })
    const isJson = String(headers['content-type']).startsWith('application/json')
    return [statusCode, isJson ? (JSON.parse(body).detail ?? JSON.parse(body)) : body]
  }

  const unfit = (status: number, why: string) => [
    500,
    `GET /api/things/ answered ${status}, which does not fit: ${why}`,
  ]

  it('that is what the endpoint says goes out as it is', async () => {
    expect(await answered(THING, () => thing)).toEqual([200, { ...thing, made_at: '1970-01-01T00:00:00.000Z' }])
  })

  it('with a field too many is refused, however deep it is', async () => {
    const more = { ...thing, owner: { name: 'Ada', email: 'a@example.com' } }
    expect(await answered(THING, () => more)).toEqual(unfit(200, 'owner: Unrecognized key: "email"'))
    await app.close()
    const inList = z.object({ results: z.array(z.tuple([z.object({ a: z.int() })])) })
    expect(await answered(inList, () => ({ results: [[{ a: 1, b: 2 }]] }))).toEqual(
      unfit(200, 'results.0.0: Unrecognized key: "b"'),
    )
  })

  it('without a field, or with one of another type, is refused', async () => {
    expect((await answered(THING, () => ({ ...thing, id: undefined })))[1]).toContain('id: Invalid input')
    await app.close()
    expect((await answered(THING, () => ({ ...thing, id: '1' })))[1]).toContain('id: Invalid input')
  })

  it('that fits no form of several is refused by what is wrong with the closest', async () => {
    const several = z.union([z.object({ kind: z.literal('none') }), z.object({ kind: z.literal('one'), it: THING })])
    expect((await answered(several, () => ({ kind: 'one', it: { ...thing, id: null } })))[1]).toContain('it.id: ')
  })

  it('of a schema that names itself is checked all the way down', async () => {
    const tree = z.object({
      name: z.string(),
      get below() {
        return z.array(tree)
      },
    })
    const leaf = { name: 'leaf', below: [] }
    expect((await answered(tree, () => ({ name: 'root', below: [leaf] })))[0]).toBe(200)
    await app.close()
    expect((await answered(tree, () => ({ name: 'root', below: [{ ...leaf, more: 1 }] })))[1]).toContain('below.0: ')
  })

  it('with a status that the endpoint does not name is refused, a refusal too', async () => {
    expect(await answered(THING, ({ reply }) => reply.code(202).send(thing))).toEqual(
      unfit(202, 'the endpoint does not name this status'),
    )
    await app.close()
    const conflict = () => {
      throw new ApiError('conflict')
    }
    expect(await answered(THING, conflict)).toEqual(unfit(409, 'the endpoint does not name this status'))
    await app.close()
    expect((await answered(THING, conflict, { errors: ['conflict'] }))[0]).toBe(409)
  })

  it('of another status has its own schema', async () => {
    const otherAnswers = { 202: z.object({ later: z.literal(true) }) }
    const send = (body: object) => (call: PublicCall) => call.reply.code(202).send(body)
    expect((await answered(THING, send({ later: true }), { otherAnswers }))[0]).toBe(202)
    await app.close()
    expect((await answered(THING, send({ later: false }), { otherAnswers }))[0]).toBe(500)
  })

  it('of another content type is refused', async () => {
    const html = ({ reply }: PublicCall) => reply.type('text/html').send('<p>')
    expect((await answered(THING, html))[1]).toContain('it has the content type "text/html"')
    await app.close()
    expect((await answered(streamOf('text/csv'), html))[1]).toContain('it has the content type "text/html"')
    await app.close()
    expect(await answered(streamOf('text/html'), html)).toEqual([200, '<p>'])
  })

  it('without content is 204, whatever the handler returns', async () => {
    expect(await answered(noContent, () => ({ for: 'the audit log' }))).toEqual([204, ''])
  })
})
