import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mmdb } from '../support/mmdb.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
/** An address in the United States. */
const FAR = '8.8.8.8'

/** An address in a network of a hosting company. */
const HOSTED = '5.9.1.1'

let service: TestService
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-networks-'))
  const networks = path.join(folder, 'networks.mmdb')
  await writeFile(networks, mmdb({ '5.9.0.0/16': { autonomous_system_number: 24940 } }))
  // The service may run as another user.
  await chmod(folder, 0o755)
  const env = { FOOTFALL_TRUSTED_PROXIES: '127.0.0.1', FOOTFALL_GEOIP_ASN: networks }
  service = await startTestService({ env })
  await service.api('/api/projects/1/', { method: 'PATCH', body: { anonymize_ips: true } })
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const pixel = (query: Record<string, string>, headers: Record<string, string>) =>
  fetch(`${service.url}/pixel.gif?${new URLSearchParams({ token: TOKENS.one, ...query })}`, { headers })

const stored = (event: string) =>
  service.waitFor(async () => {
    const { body } = await service.api(`events/?${new URLSearchParams({ event })}`)
    return body.results[0]?.properties
  }, `the event ${event}`)

describe('a visitor without script and cookie', () => {
  it('is counted by a picture, with country and device, and without address', async () => {
    const answer = await pixel(
      { event: 'seen', url: 'https://site.test/a?utm_source=mail' },
      { 'user-agent': CHROME, 'x-forwarded-for': FAR },
    )
    expect(answer.headers.get('content-type')).toBe('image/gif')
    expect(answer.headers.get('cache-control')).toContain('no-store')
    const properties = await stored('seen')
    expect(properties).toMatchObject({
      $geoip_country_code: 'US',
      $browser: 'Chrome',
      $os: 'Linux',
      $device_type: 'Desktop',
      $pathname: '/a',
      utm_source: 'mail',
      $session_id: expect.any(String),
    })
    expect(properties).not.toHaveProperty('$ip')
    expect(properties).not.toHaveProperty('$is_bot')
    expect(JSON.stringify(properties)).not.toContain(FAR)
  })

  it('who asks not to be tracked is not counted where the page says so', async () => {
    await pixel({ event: 'tracked', dnt: '1' }, { 'user-agent': CHROME, 'sec-gpc': '1' })
    await pixel({ event: 'afterwards' }, { 'user-agent': CHROME, 'sec-gpc': '1' })
    await stored('afterwards')
    expect((await service.api('events/?event=tracked')).body.results).toEqual([])
  })

  it('has the country that a trusted proxy names when the file knows none', async () => {
    await pixel({ event: 'named' }, { 'user-agent': CHROME, 'x-forwarded-for': '10.1.2.3', 'cf-ipcountry': 'FR' })
    expect(await stored('named')).toMatchObject({ $geoip_country_code: 'FR', $geoip_country_name: 'France' })
  })
})

it('bots are stored, marked, left out of web analytics and counted there', async () => {
  const url = 'https://site.test/'
  await pixel({ url }, { 'user-agent': CHROME, 'x-forwarded-for': '9.9.9.9' })
  await pixel({ url }, { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '9.9.9.8' })
  const node = { kind: 'WebOverviewQuery', dateRange: { date_from: '-1d' } }
  const answer = await service.waitFor(async () => {
    const { body } = await service.api('query/', { method: 'POST', body: { query: node, refresh: 'force_blocking' } })
    const sessions = body.results?.find(({ key }: { key: string }) => key === 'sessions')?.value
    return sessions === 1 && body.hidden_bots.sessions === 1 && body
  }, 'a visitor and a bot')
  expect(answer.hidden_bots).toEqual({ sessions: 1, views: 1, reasons: { ua: 1 } })
  const table = { kind: 'WebStatsTableQuery', breakdownBy: 'Browser', dateRange: { date_from: '-1d' }, bots: 'include' }
  const { body } = await service.api('query/', { method: 'POST', body: { query: table } })
  expect(body.results).toContainEqual(['Chrome', [1, null], [1, null]])
})

it('visits from data centres are those of bots', async () => {
  await pixel({ event: 'hosted', url: 'https://site.test/' }, { 'user-agent': CHROME, 'x-forwarded-for': HOSTED })
  expect(await stored('hosted')).toMatchObject({ $is_bot: true, $bot_reason: 'datacenter', $geoip_asn: 24940 })
})

it('a project names its channels', async () => {
  const rule = {
    channel_type: 'Friends',
    combiner: 'AND',
    items: [{ key: 'hostname', op: 'exact', value: 'site.test' }],
  }
  const changed = await service.api('/api/projects/1/', { method: 'PATCH', body: { channel_rules: [rule] } })
  expect(changed.body.channel_rules).toEqual([rule])
  const table = { kind: 'WebStatsTableQuery', breakdownBy: 'InitialChannelType', dateRange: { date_from: '-1d' } }
  const { body } = await service.api('query/', { method: 'POST', body: { query: table } })
  expect(body.results[0][0]).toBe('Friends')
  const bad = { ...rule, items: [{ key: 'hostname', op: 'regex', value: '(' }] }
  const refused = await service.api('/api/projects/1/', { method: 'PATCH', body: { channel_rules: [bad] } })
  expect(refused.status).toBe(400)
  expect(refused.body.detail).toContain('Send a regular expression')
})

it('the doctor tells how old the files of addresses are', async () => {
  const { stdout } = await service.cli('doctor')
  expect(stdout).toMatch(/geo-whois-asn-country\.mmdb is \d+ days old/)
  expect(stdout).toMatch(/networks\.mmdb is 0 days old/)
})

it('the small script is served', async () => {
  const answer = await fetch(`${service.url}/static/footfall.js`)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('footfall={capture:send}')
})
