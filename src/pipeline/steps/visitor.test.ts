import { describe, expect, it } from 'vitest'
import { deviceOf, GeoFile, type GeoLookup } from '../../events/index.ts'
import { BOTS } from '../../lib/known-bots.ts'
import { pipelineEvent } from './testing/events.ts'
import { visitorStep } from './visitor.ts'

const FRANCE = { $geoip_country_code: 'FR', $geoip_country_name: 'France' }
const geo: GeoLookup = { find: (ip) => (ip === '2.2.2.2' ? FRANCE : null) }
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

const processed = (fields: Record<string, unknown>) => {
  const event = pipelineEvent(fields)
  visitorStep(geo)(event)
  return event.properties
}

describe('where a visitor is', () => {
  it('is what capture found, on the event and on the person', () => {
    expect(processed({ ip: '1.1.1.1', geo: FRANCE })).toEqual({
      ...FRANCE,
      $set: FRANCE,
      $set_once: { $initial_geoip_country_code: 'FR', $initial_geoip_country_name: 'France' },
    })
  })

  it('is looked up by the address of the event when it has another', () => {
    expect(processed({ ip: '1.1.1.1', properties: { $ip: '2.2.2.2' } })).toMatchObject(FRANCE)
    expect(processed({ ip: '1.1.1.1', geo: FRANCE, properties: { $ip: '3.3.3.3' } })).toEqual({ $ip: '3.3.3.3' })
  })

  it('is not asked for when the client says so, and not set on a person that is not processed', () => {
    expect(processed({ geo: FRANCE, properties: { $geoip_disable: true } })).toEqual({ $geoip_disable: true })
    expect(processed({ geo: FRANCE, properties: { $process_person_profile: false } })).toEqual({
      $process_person_profile: false,
      ...FRANCE,
    })
  })

  it('is known of real addresses by the file that comes with Footfall, and of none of a private network', async () => {
    const file = await GeoFile.open(undefined)
    expect(file?.find('8.8.8.8')).toMatchObject({ $geoip_country_code: 'US', $geoip_country_name: 'United States' })
    expect(file?.find('2001:4860:4860::8888')).toMatchObject({ $geoip_country_code: 'US' })
    expect(file?.find('192.168.1.1')).toBeNull()
    expect(file?.find('nonsense')).toBeNull()
    expect(file?.madeAt).toBeGreaterThan(Date.UTC(2024, 0, 1))
    file?.close()
  })
})

describe('the device', () => {
  const device = deviceOf(CHROME)

  it('is that of the browser when the SDK did not say', () => {
    const found = { $browser: 'Chrome', $os: 'Linux', $device_type: 'Desktop' }
    expect(processed({ device, properties: { $lib: 'footfall' } })).toMatchObject(found)
    expect(processed({ properties: { $lib: 'posthog-node', $raw_user_agent: CHROME } })).toMatchObject(found)
    expect(processed({ device, properties: { $lib: 'web', $browser: 'Mine' } })).toEqual({
      $lib: 'web',
      $browser: 'Mine',
    })
  })

  it('of a server is none', () => {
    expect(processed({ device, properties: { $lib: 'posthog-node' } })).toEqual({ $lib: 'posthog-node' })
    expect(processed({ device: deviceOf('posthog-python/3.1'), properties: {} })).toEqual({})
  })

  it.each([
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'Mobile',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'Safari',
      'Mac OS X',
      'Desktop',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
      'Firefox',
      'Windows',
      'Desktop',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'Tablet',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
      'Chrome',
      'Android',
      'Mobile',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
      'Microsoft Edge',
      'Windows',
      'Desktop',
    ],
  ])('of %s', (agent, $browser, $os, $device_type) => {
    expect(deviceOf(agent)).toMatchObject({ properties: { $browser, $os, $device_type }, bot: null })
  })
})

describe('bots', () => {
  it.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'ua'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'ua'],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'ua'],
    ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'ua'],
    ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'ua'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
      'headless',
    ],
  ])('%s is marked', (agent, reason) => {
    const marked = { $is_bot: true, $bot_reason: reason }
    expect(processed({ device: deviceOf(agent), properties: { $lib: 'web' } })).toMatchObject(marked)
    expect(processed({ device: deviceOf(agent), properties: { $current_url: 'https://x.test' } })).toMatchObject(marked)
  })

  it('are all those that SQL knows by name', () => {
    const unmarked = BOTS.filter(({ sign }) => deviceOf(`Mozilla/5.0 (compatible; ${sign} 1.0)`).bot === null)
    expect(unmarked).toEqual([])
  })

  it('are told by what drives the browser, and by networks of hosting companies', () => {
    expect(processed({ properties: { $lib: 'footfall', $webdriver: true } })).toMatchObject({ $bot_reason: 'headless' })
    const hosted = { ...FRANCE, $geoip_asn: 24940 }
    expect(processed({ geo: hosted, properties: { $lib: 'web' } })).toMatchObject({
      $is_bot: true,
      $bot_reason: 'datacenter',
    })
    expect(processed({ geo: hosted, properties: { $lib: 'posthog-node' } }).$is_bot).toBeUndefined()
  })

  it.each(['posthog-node/5.1', 'python-requests/2.31', 'Go-http-client/2.0', 'curl/8.4.0'])(
    'a server that sends events with %s is none',
    (agent) => {
      expect(processed({ device: deviceOf(agent), properties: { $lib: 'posthog-node' } }).$is_bot).toBeUndefined()
      expect(processed({ device: deviceOf(agent), properties: {} }).$is_bot).toBeUndefined()
    },
  )

  it('people are none, and what the client said stays', () => {
    expect(processed({ device: deviceOf(CHROME), properties: { $lib: 'web' } }).$is_bot).toBeUndefined()
    expect(processed({ properties: { $lib: 'web', $is_bot: false, $raw_user_agent: 'Googlebot/2.1' } }).$is_bot).toBe(
      false,
    )
  })
})
