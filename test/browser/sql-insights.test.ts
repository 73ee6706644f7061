import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled, textOf } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 300 })
  page = demo.page
})
afterAll(() => demo?.close())

const BY_EVENT = 'select event, count() as times, uniq(person_id) as people from events'
const QUERY = `${BY_EVENT} where {filters} group by event order by times desc, event`
const editor = () => page.getByRole('textbox', { name: 'SQL' })
const display = (name: string) => page.getByRole('radio', { name, exact: true })
const shortId = () => new URL(page.url()).pathname.split('/').pop() ?? ''

async function write(sql: string): Promise<void> {
  await editor().click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(sql)
}

/** The rows of the table, as the API has them. */
async function shown(within = page.locator('main')): Promise<unknown[][]> {
  const rows = await within.getByRole('region', { name: 'Result' }).locator('tbody tr').all()
  return Promise.all(
    rows.map(async (row) => {
      const [name, ...numbers] = await row.locator('td').allTextContents()
      return [name, ...numbers.map((text) => Number(text.replaceAll(',', '')))]
    }),
  )
}

/** What a client of the API gets for a saved insight. */
const answered = async (id: string) => (await demo.service.api(`insights/${id}/?refresh=force_blocking`)).body

async function save(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Description').fill('How often, and by how many')
  await dialog.getByLabel('Tags').fill('weekly, sql')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/insights\/\w{8}$/)
  await page.getByRole('heading', { name }).waitFor()
}

describe('a question in SQL', () => {
  it('is saved as an insight, opens again as it was, and shows the numbers of the API', async () => {
    await demo.open('sql')
    await write(QUERY)
    await page.keyboard.press('Control+Enter')
    await expect.poll(shown).not.toEqual([])
    await save('Events by SQL')
    const { body } = await demo.service.api(`insights/?short_id=${shortId()}`)
    expect(body.results[0]).toMatchObject({
      name: 'Events by SQL',
      derived_name: 'SQL over events',
      description: 'How often, and by how many',
      tags: ['weekly', 'sql'],
      saved: true,
      query: { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: QUERY }, display: 'ActionsTable' },
    })
    await page.reload()
    await settled(page)
    const { result, columns } = await answered(shortId())
    expect(columns).toEqual(['event', 'times', 'people'])
    await expect.poll(shown).toEqual(result)
    await expect.poll(() => editor().textContent()).toBe(QUERY)
    await expect.poll(() => page.getByRole('button', { name: 'Saved' }).isDisabled()).toBe(true)
    await page.getByText('weekly', { exact: true }).waitFor()

    const arrives = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const file = await arrives
    expect(file.suggestedFilename()).toBe('Events-by-SQL.csv')
    const [head, first] = (await textOf(file)).split('\r\n')
    expect([head, first]).toEqual(['event,times,people', result[0].join(',')])
  })

  it('is drawn as chosen; the choice stands in the address and is saved with it', async () => {
    const address = page.url()
    await expect.poll(() => display('Number').isDisabled()).toBe(true)
    await expect.poll(() => page.getByTitle('Needs a single row with a number').count()).toBe(1)
    await page.getByText('Bars', { exact: true }).click()
    await page.getByRole('img', { name: 'times, people by event' }).waitFor()
    expect(new URL(page.url()).search).toContain('bar')
    await keepScreenshot(page, 'sql-bars')
    expect(await accessibilityProblems(page, 'SQL as bars')).toEqual([])
    await page.goBack()
    await page.getByRole('img', { name: 'times, people by event' }).waitFor({ state: 'detached' })
    expect(page.url()).toBe(address)
    await page.goForward()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Saved', exact: true }).waitFor()
    await expect.poll(async () => (await answered(shortId())).query.display).toBe('ActionsBar')
    await page.reload()
    await page.getByRole('img', { name: 'times, people by event' }).waitFor()
    await expect.poll(() => display('Bars').isChecked()).toBe(true)
    await expect.poll(shown).toEqual((await answered(shortId())).result)
  })

  it('what is written and not run is changed, and saved as it stands', async () => {
    const other = `${BY_EVENT} where event = 'signed up' group by event`
    await write(other)
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('img', { name: 'times, people by event' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Save as new' }).click()
    const was = shortId()
    await page.getByRole('dialog').getByLabel('Name').fill('Signups by SQL')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Signups by SQL' }).waitFor()
    expect(shortId()).not.toBe(was)
    const { result, query } = await answered(shortId())
    expect([query.source.query, query.display, result.length]).toEqual([other, 'ActionsTable', 1])
    await expect.poll(shown).toEqual(result)
    expect((await answered(was)).query.source.query).toBe(QUERY)
  })

  it('is written with the tables, fields and properties of the project', async () => {
    await demo.open('sql')
    const list = page.getByRole('navigation', { name: 'Tables and columns' })
    const tables = await demo.service.api('query/', {
      method: 'POST',
      body: { query: { kind: 'DatabaseSchemaQuery' } },
    })
    for (const table of Object.keys(tables.body.tables))
      await list.getByRole('button', { name: table, exact: true }).waitFor()
    await list.getByRole('button', { name: /^event string/ }).waitFor()
    await list.getByLabel('Search tables and fields').fill('$entry_path')
    await list.getByRole('button', { name: /^\$entry_pathname string \// }).waitFor()
    await write('select ')
    await list.getByRole('button', { name: /^\$entry_pathname/ }).click()
    await expect.poll(() => editor().textContent()).toBe('select $entry_pathname')
    await list.getByLabel('Search tables and fields').fill('plan')
    await write('select ')
    await list
      .getByRole('button', { name: /^plan string \w+/ })
      .first()
      .click()
    await expect.poll(() => editor().textContent()).toMatch(/^select (?:person\.)?properties\.plan$/)
    await write('select event from session_replay_ev')
    await page.keyboard.type('e')
    await page.getByRole('option', { name: 'session_replay_events' }).waitFor()
    await page.keyboard.press('Escape')
    await keepScreenshot(page, 'sql-schema')
  })

  it('going back brings the text of the question back', async () => {
    await demo.open('sql')
    for (const sql of ['select 1 as one', 'select 2 as two, 0.0042 as little']) {
      await write(sql)
      await page.keyboard.press('Control+Enter')
      await expect.poll(async () => new URL(page.url()).searchParams.get('sql')).toBe(sql)
    }
    await page.getByRole('cell', { name: '0.0042' }).waitFor()
    await page.getByText('Number', { exact: true }).click()
    await page.locator('.number-value').first().waitFor()
    await expect.poll(() => page.locator('.number-value').allTextContents()).toEqual(['2', '0.0042'])
    await page.goBack()
    await page.goBack()
    await expect.poll(() => editor().textContent()).toBe('select 1 as one')
    await page.getByRole('columnheader', { name: 'one' }).waitFor()
  })
})

describe('an insight in SQL', () => {
  it('is one of the kinds: in the list, in the builder, and among what was viewed and liked', async () => {
    await demo.open('insights')
    await page.getByRole('row', { name: /Events by SQL SQL weekly sql/ }).click()
    await page.waitForURL(/insights\/\w{8}$/)
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor()
    // The page shows it before it is kept.
    await settled(page)
    await demo.open('insights?view=favourites')
    await page.getByRole('row', { name: /Events by SQL/ }).waitFor()
    await demo.open('')
    await page.getByRole('link', { name: 'Events by SQL' }).waitFor()

    await demo.open('insights/new')
    const kinds = page.getByRole('radiogroup', { name: 'Kind of insight' })
    await kinds.getByText('SQL').click()
    await editor().waitFor()
    await settled(page)
    await keepScreenshot(page, 'sql-in-the-builder')
    expect(await accessibilityProblems(page, 'SQL in the builder')).toEqual([])
    await kinds.getByText('Funnel').click()
    await page.getByText('Choose at least two steps').waitFor()
  })

  it('is a tile of a dashboard: drawn or a table, under the dates of the dashboard where it takes them', async () => {
    const { body: board } = await demo.service.api('dashboards/', { body: { name: 'By SQL' } })
    const { body: saved } = await demo.service.api('insights/?insight=SQL&order=name')
    for (const { short_id } of saved.results) {
      await demo.open(`insights/${short_id}`)
      await page.getByRole('button', { name: 'Add to dashboard' }).click()
      await page.getByRole('menuitem', { name: 'By SQL', exact: true }).click()
      await page.getByText('Added to By SQL').last().waitFor()
    }
    await demo.open(`dashboards/${board.id}`)
    const bars = page.getByRole('region', { name: 'Events by SQL' })
    const table = page.getByRole('region', { name: 'Signups by SQL' })
    await bars.getByRole('img', { name: 'times, people by event' }).waitFor()
    const { body: known } = await demo.service.api(`dashboards/${board.id}/?refresh=force_blocking`)
    expect(known.tiles).toHaveLength(2)
    const [, signups] = known.tiles
    await expect.poll(() => shown(table)).toEqual(signups.insight.result)
    await keepScreenshot(page, 'sql-tiles')
    expect(await accessibilityProblems(page, 'SQL tiles')).toEqual([])

    const asked = page.waitForRequest((request) => request.postData()?.includes('"date_from":"-6d"') === true)
    await page.getByRole('button', { name: 'Dates of each insight' }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    expect(JSON.parse((await asked).postData() ?? '{}').query).toMatchObject({
      kind: 'HogQLQuery',
      filters: { dateRange: { date_from: '-6d' } },
    })
    await table.getByText('Own dates', { exact: false }).waitFor()
    await expect.poll(() => bars.getByText('Own dates', { exact: false }).count()).toBe(0)
  })

  it('is deleted like every other', async () => {
    await demo.open('insights')
    await page.getByRole('row', { name: /Signups by SQL/ }).click()
    await page.waitForURL(/insights\/\w{8}$/)
    await settled(page)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.waitForURL('**/insights')
    await page.getByRole('row', { name: /Events by SQL/ }).waitFor()
    await page.getByRole('row', { name: /Signups by SQL/ }).waitFor({ state: 'detached' })
    expect(demo.visitor.problems).toEqual([])
  })
})
