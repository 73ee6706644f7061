import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPERIMENT, FLAGS } from '../../src/demo/index.ts'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 200, recordings: 8 })
  page = demo.page
  for (const fields of FLAGS) await demo.service.api('feature_flags/', { body: fields })
})
afterAll(() => demo?.close())

describe('feature flags', () => {
  it('a flag is made with a condition that counts its people while it is written', async () => {
    await demo.open('flags')
    await page.getByRole('link', { name: 'New flag' }).click()
    await page.getByLabel('Key', { exact: true }).fill('quick-add')
    const condition = page.getByRole('group', { name: 'Condition 1' })
    const { body } = await demo.service.api('persons/?limit=1')
    await condition.getByText(`${body.count} of ${body.count} people`).waitFor()
    await condition.getByRole('button', { name: 'Add a property' }).click()
    await page.getByRole('option', { name: /^plan/ }).first().click()
    await page.getByLabel('Operator').selectOption('is_set')
    await page.getByRole('button', { name: 'Done' }).click()
    const { affected } = (
      await demo.service.api('feature_flags/user_blast_radius/', {
        body: { condition: { properties: [{ key: 'plan', type: 'person', operator: 'is_set' }] } },
      })
    ).body
    expect(affected).toBeLessThan(body.count)
    await condition.getByText(`${affected} of ${body.count} people`).waitFor()
    await condition.getByLabel('Share of condition 1 in percent').fill('50')
    await page.getByRole('button', { name: 'Serve variants instead' }).click()
    await page.getByLabel('Share in %').first().fill('60')
    await page.getByText('The shares sum to 110%').waitFor()
    await keepScreenshot(page, 'flag-form')
    expect(await accessibilityProblems(page, 'a new flag')).toEqual([])
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByText(/sum to 110: change them/).waitFor()
    await page.getByRole('button', { name: 'Same share for all' }).click()
    await page.getByLabel('Payload of test').fill('{"colour":"blue"}')
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByRole('heading', { name: 'quick-add' }).waitFor()
    await page.getByText('50% get a variant: control 50%, test 50%').waitFor()
    const saved = (await demo.service.api('feature_flags/quick-add/')).body
    expect(saved.filters).toMatchObject({
      groups: [{ properties: [{ key: 'plan', operator: 'is_set' }], rollout_percentage: 50 }],
      payloads: { test: '{"colour":"blue"}' },
    })
  })

  it('is turned off and on, and deleted until somebody thinks better of it', async () => {
    await demo.open('flags')
    await page.getByRole('link', { name: 'import-v2' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    const active = async () => (await demo.service.api('feature_flags/import-v2/')).body.active
    await expect.poll(active).toBe(false)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.waitForURL('**/flags')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'import-v2' }).waitFor()
  })

  it('says why somebody got their variant, from their page too', async () => {
    const called = await demo.service.api('query/', {
      body: {
        query: { kind: 'EventsQuery', event: '$feature_flag_called', select: ['distinct_id'], after: '-60d', limit: 1 },
      },
    })
    const who = called.body.results[0][0]
    const explained = await demo.service.api('feature_flags/onboarding-checklist/test_evaluation/', {
      body: { distinct_id: who },
    })
    await demo.open('flags')
    await page.getByRole('link', { name: 'onboarding-checklist' }).click()
    await page.getByRole('tab', { name: 'Why' }).click()
    await page.getByLabel('Distinct id or email').fill(who)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Condition 1 matched').waitFor()
    await page.locator('.flag-value', { hasText: explained.body.value }).waitFor()
    await settled(page)
    await keepScreenshot(page, 'flag-explained')
    expect(await accessibilityProblems(page, 'an explained flag')).toEqual([])
    await demo.open(`persons/${explained.body.person.uuid}?view=flags`)
    await page.getByRole('link', { name: 'onboarding-checklist' }).waitFor()
    await page.getByText(explained.body.value, { exact: true }).waitFor()
  })

  it('leads from a variant to its people, and from there to a playlist', async () => {
    await demo.open('flags')
    await page.getByRole('link', { name: 'onboarding-checklist' }).click()
    await page.getByRole('tab', { name: 'Usage' }).click()
    // Not the name in the legend of the chart above it, which may be there first.
    await page
      .locator('.ranking')
      .getByRole('button', { name: /^checklist/ })
      .click()
    const panel = page.getByRole('dialog').or(page.locator('.panel')).first()
    await panel.getByRole('tab', { name: /Recordings/ }).waitFor()
    await settled(page)
    await keepScreenshot(page, 'flag-people')
    expect(await accessibilityProblems(page, 'people of a variant')).toEqual([])
    await panel.getByRole('tab', { name: /Recordings/ }).click()
    await panel.locator('.recording-row').first().waitFor()
    const recorded = await panel.locator('.recording-row').count()
    await panel.getByRole('button', { name: 'Save as playlist' }).click()
    await page.waitForURL('**/playlists/**')
    await expect.poll(() => page.locator('.recording-row').count()).toBe(recorded)
  })

  it('leads from a flag to a funnel by its variants, with the numbers of the API', async () => {
    await demo.open('flags')
    await page.getByRole('link', { name: 'onboarding-checklist' }).first().click()
    await page.getByRole('tab', { name: 'Usage' }).click()
    await page.getByRole('link', { name: 'Funnel by variant' }).click()
    await page.waitForURL('**/insights/new?**')
    const property = '$feature/onboarding-checklist'
    await page
      .getByRole('region', { name: 'Breakdown' })
      .getByText(/onboarding-checklist/)
      .waitFor()
    const steps = ['signed up', 'created board']
    for (const event of steps) {
      await page
        .getByRole('button', { name: /^Add (a )?step|^Choose an event|^Add an event/ })
        .first()
        .click()
      await page.getByRole('combobox', { name: 'Events for a step' }).fill(event)
      await page
        .getByRole('option', { name: new RegExp(`^${event}`) })
        .first()
        .click()
    }
    await settled(page)
    const { body } = await demo.service.api('query/', {
      body: {
        query: {
          kind: 'FunnelsQuery',
          series: steps.map((event) => ({ kind: 'EventsNode', event })),
          dateRange: { date_from: '-29d' },
          breakdownFilter: { breakdown: property, breakdown_type: 'event' },
        },
      },
    })
    const values = body.results.map(([first]: { breakdown_value: string[] }[]) => first?.breakdown_value[0] || '(none)')
    expect(values.length).toBeGreaterThan(1)
    for (const value of values) await page.locator('.legend').getByText(value, { exact: true }).waitFor()
  })

  it('early access: a feature is made, people enrol, and its stage closes it again', async () => {
    await demo.open('flags')
    await page.getByRole('link', { name: 'Early access' }).click()
    await page.getByText('No early access features yet').waitFor()
    await page.getByRole('button', { name: 'New feature' }).click()
    const dialog = page.getByRole('dialog', { name: 'New early access feature' })
    await dialog.getByLabel('Name').fill('Board templates')
    await dialog.getByLabel('Description').fill('Start from a template')
    await dialog.getByLabel('Stage').selectOption('beta')
    await dialog.getByText('People may turn it on for themselves.').waitFor()
    expect(await accessibilityProblems(page, 'a new early access feature')).toEqual([])
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/early-access/*')
    await page.getByText('Nobody has enrolled yet').waitFor()
    await demo.service.capture(
      ['ada', 'bob', 'cem'].map((name) => ({
        event: '$feature_enrollment_update',
        distinct_id: name,
        properties: {
          $feature_flag: 'board-templates',
          $feature_enrollment: name !== 'cem',
          $set: { '$feature_enrollment/board-templates': name !== 'cem', email: `${name}@early.test` },
        },
      })),
    )
    await demo.service.stored()
    await expect
      .poll(async () => {
        await page.reload()
        await settled(page)
        return page.getByRole('region', { name: 'Enrolled people' }).getByRole('link').allTextContents()
      })
      .toHaveLength(2)
    await page.getByText('2 people, 1 turned it off again').waitFor()
    await keepScreenshot(page, 'early-access-enrolled')
    const flags = async () =>
      (await demo.service.api('feature_flags/board-templates/')).body.filters.feature_enrollment as boolean
    expect(await flags()).toBe(true)
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog').getByLabel('Stage').selectOption('general-availability')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Its flag decides for everybody alike.').waitFor()
    expect(await flags()).toBe(false)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No early access features yet').waitFor()
  })

  it('rows are links that open in a tab of their own', async () => {
    await demo.open('flags')
    const link = page.getByRole('link', { name: 'onboarding-checklist' })
    await link.waitFor()
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      link.click({ modifiers: ['ControlOrMeta'] }),
    ])
    await opened.getByRole('heading', { name: 'onboarding-checklist' }).waitFor()
    await opened.close()
    expect(page.url()).toMatch(/\/flags$/)
  })

  it('an experiment says how many people it takes, and then what the variants changed', async () => {
    await demo.open('flags/onboarding-checklist?view=experiment')
    await page.getByRole('button', { name: 'Start an experiment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Share that reaches it today/).fill('10')
    await dialog.getByText('14,128 people in each variant').waitFor()
    await settled(page)
    await keepScreenshot(page, 'experiment-form')
    expect(await accessibilityProblems(page, 'a new experiment')).toEqual([])
    await page.keyboard.press('Escape')
    const { status, text } = await demo.service.api('experiments/', {
      body: {
        ...EXPERIMENT.fields,
        feature_flag_key: 'onboarding-checklist',
        start_date: new Date(Date.now() - 40 * 86_400_000).toISOString(),
        metrics_secondary: [
          { kind: 'ExperimentMetric', metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'created board' }] },
        ],
      },
    })
    expect(status, text).toBe(201)
    await demo.open('flags')
    await page.getByRole('link', { name: 'Experiments' }).click()
    await page.getByText('running', { exact: true }).waitFor()
    await settled(page)
    await page.locator('.rail-link.active', { hasText: 'Flags' }).waitFor()
    await keepScreenshot(page, 'experiments')
    expect(await accessibilityProblems(page, 'experiments')).toEqual([])
    await page.getByRole('link', { name: EXPERIMENT.fields.name }).click()
    await page.getByRole('table', { name: 'Results for finished onboarding' }).waitFor()
    await page.getByRole('table', { name: 'Results for created board' }).waitFor()
    await page.getByRole('img', { name: 'People who met each variant, day by day' }).waitFor()
    await page.getByText(/Peeking: the smallest variant has/).waitFor()
    await settled(page)
    await keepScreenshot(page, 'experiment')
    expect(await accessibilityProblems(page, 'an experiment')).toEqual([])
  })
})
