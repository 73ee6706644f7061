import { expect, it } from 'vitest'
import { readSteps } from './steps.ts'

it('steps keep what the form does not show, and lose only what is no step', () => {
  const filter = { key: 'tag_name', type: 'element', operator: 'exact', value: ['a'] }
  const step = { event: '$autocapture', text: 'Buy', text_matching: 'regex', tag_name: 'button', properties: [filter] }
  expect(readSteps([step, null, 'x'])).toEqual([step])
  expect(readSteps('none')).toEqual([])
})
