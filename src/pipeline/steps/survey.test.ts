import { expect, it } from 'vitest'
import { surveyStep } from './survey.ts'
import { pipelineEvent } from './testing/events.ts'

it.each(['survey sent', 'survey shown', 'survey dismissed'])(
  '"%s" without its survey is kept with a warning',
  (event) => {
    for (const properties of [{}, { $survey_id: '' }, { $survey_id: 7 }, { $survey_id: null }])
      expect(surveyStep(pipelineEvent({ event, properties }))).toMatchObject({
        kind: 'ok',
        warnings: [{ type: 'survey_without_id', event, distinctId: 'somebody' }],
      })
    expect(surveyStep(pipelineEvent({ event, properties: { $survey_id: 's' } }))).toEqual({ kind: 'ok', warnings: [] })
  },
)

it('other events need no survey', () => {
  expect(surveyStep(pipelineEvent({ event: 'bought' }))).toEqual({ kind: 'ok', warnings: [] })
})
