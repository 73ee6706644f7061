/** Random trees of the grammar: an answer or a refusal in words, never another project's row, always within limits. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RandomSql } from '../../../test/support/insights/random-sql.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { drawn } from '../../../test/support/random.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { runSql } from '../kinds/sql/run.ts'

const QUERIES = 400
const MOST_ROWS = 50_000

let engine: TestEngine
let mine: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  mine = engine.project()
  const other = engine.project()
  const at = (hour: number) => `2024-05-09T${String(hour).padStart(2, '0')}:00:00Z`
  await mine.seed([
    {
      event: '$pageview',
      distinctId: 'ada',
      at: at(1),
      properties: { plan: 'pro', price: 5, list: ['a'] },
      sessionId: 's1',
    },
    { event: 'buy', distinctId: 'ada', at: at(2), properties: { plan: 'free', flag: true }, sessionId: 's1' },
    { event: '$pageview', distinctId: 'bob', at: at(3), properties: { price: 'much' }, sessionId: 's2' },
  ])
  await other.seed([
    {
      event: 'secret-event',
      distinctId: 'secret-id',
      at: at(1),
      properties: { plan: 'secret-plan', price: 424242, list: ['secret-item'] },
      personProperties: { email: 'secret@mail' },
      sessionId: 'secret-session',
    },
  ])
})
afterAll(() => engine?.stop())

it('answers or refuses whatever the grammar can say', async () => {
  const random = new RandomSql(drawn('generated SQL'))
  const context = { ...mine.context('2024-05-10T12:00:00Z'), propertyTypes: async () => () => null }
  const filling = { variables: { v: { code_name: 'n', value: 2 } }, values: { values_text: 'a' } }
  let answered = 0
  for (let i = 0; i < QUERIES; i++) {
    const query = random.query()
    try {
      const { results, page } = await runSql(context, hogqlQuerySchema.parse({ kind: 'HogQLQuery', query, ...filling }))
      answered++
      expect(results.length, query).toBeLessThanOrEqual(page ? 200 : MOST_ROWS)
      expect(JSON.stringify(results), query).not.toMatch(/secret|424242/)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InvalidQuery')
        throw new Error(`${query}: ${error}`, { cause: error })
      // A refusal never shows what the statement was made of.
      expect(error.message, query).not.toMatch(/project_id|\bprops\b|secret|424242/)
    }
  }
  expect(answered).toBeGreaterThan(QUERIES / 4)
})
