import { expect, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { untilAnswers } from './until-answers.ts'

const log = createLogger('silent')

test('waits for a server that comes later', async () => {
  const answers = [false, false, true, true]
  await untilAnswers({ ping: async () => answers.shift() === true }, log, { withinMs: 60_000, everyMs: 1 })
  expect(answers).toEqual([true])
})

test('does not wait for ever', async () => {
  let asked = 0
  await untilAnswers({ ping: async () => asked++ < 0 }, log, { withinMs: 5, everyMs: 1 })
  expect(asked).toBeGreaterThan(0)
})
