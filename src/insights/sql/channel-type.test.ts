import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { type Arrived, channelOf } from '../../../test/support/insights/channel-model.ts'
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import { sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { channelType } from './channel-type.ts'

let server: TestClickHouse
beforeAll(async () => {
  server = await startTestClickHouse()
})
afterAll(() => server.stop())

const NOTHING: Arrived = {
  source: '',
  medium: '',
  campaign: '',
  referringDomain: '$direct',
  gclid: '',
  gadSource: '',
  fbclid: '',
}

/** What the engine says of each, in one statement. */
async function channels(arrivals: readonly Arrived[], rules: readonly ChannelRule[] = [], pathname = '/') {
  const list = (name: keyof Arrived) => strings(arrivals.map((each) => each[name]))
  const channel = channelType(
    {
      source: sql`a`,
      medium: sql`b`,
      campaign: sql`c`,
      referringDomain: sql`d`,
      gclid: sql`e`,
      gadSource: sql`f`,
      fbclid: sql`g`,
      url: sql`''`,
      pathname: sql`${str(pathname)}`,
      hostname: sql`''`,
    },
    rules,
  )
  const { rows } = await server.clickhouse.query<{
    channel: string
  }>(sql`SELECT ${channel} AS channel FROM (SELECT 1) ARRAY JOIN
    ${list('source')} AS a, ${list('medium')} AS b, ${list('campaign')} AS c, ${list('referringDomain')} AS d,
    ${list('gclid')} AS e, ${list('gadSource')} AS f, ${list('fbclid')} AS g`)
  return rows.map((row) => row.channel)
}

describe('the channel of a session', () => {
  it.each([
    [{}, 'Direct'],
    [{ referringDomain: '' }, 'Unknown'],
    [{ referringDomain: 'www.google.com' }, 'Organic Search'],
    [{ referringDomain: 'www.google.co.uk' }, 'Organic Search'],
    [{ referringDomain: 'mail.google.com' }, 'Email'],
    [{ referringDomain: 'news.ycombinator.com' }, 'Organic Social'],
    [{ referringDomain: 'm.youtube.com' }, 'Organic Video'],
    [{ referringDomain: 'chatgpt.com' }, 'AI'],
    [{ referringDomain: 'www.perplexity.ai' }, 'AI'],
    [{ referringDomain: 'gemini.google.com' }, 'AI'],
    [{ source: 'chatgpt.com', referringDomain: '$direct' }, 'AI'],
    [{ referringDomain: 'example.com' }, 'Referral'],
    [{ source: 'Google', medium: 'CPC' }, 'Paid Search'],
    [{ gclid: 'x', referringDomain: 'www.google.com' }, 'Paid Search'],
    [{ gadSource: '1' }, 'Paid Search'],
    [{ source: 'facebook', medium: 'paid' }, 'Paid Social'],
    [{ medium: 'paid', campaign: 'spring-shopping' }, 'Paid Shopping'],
    [{ medium: 'cpm' }, 'Display'],
    [{ medium: 'paid' }, 'Paid Unknown'],
    [{ medium: 'cpc', campaign: 'Cross-Network 1' }, 'Cross Network'],
    [{ source: 'newsletter', medium: 'email' }, 'Email'],
    [{ medium: 'affiliate' }, 'Affiliate'],
    [{ medium: 'webpush' }, 'Push'],
    [{ fbclid: 'x' }, 'Organic Social'],
    [{ source: 'null', medium: 'null' }, 'Direct'],
  ] satisfies [Partial<Arrived>, string][])('%o is %s', async (given, expected) => {
    expect(await channels([{ ...NOTHING, ...given }])).toEqual([expected])
    expect(channelOf({ ...NOTHING, ...given })).toBe(expected)
  })

  it('is what the rules say, for whatever comes', async () => {
    const source = fc.constantFrom(
      '',
      'null',
      'google',
      'FB',
      'tiktok',
      'amazon',
      'newsletter',
      'claude.ai',
      'partner',
      'direct',
    )
    const medium = fc.constantFrom(
      '',
      'cpc',
      'cpm',
      'paid_social',
      'email',
      'organic',
      'push',
      'web-push',
      'x',
      'Referral',
    )
    const campaign = fc.constantFrom('', 'cross-network', 'shop', 'workshop', 'shopping', 'video-1', 'summer')
    const domain = fc.constantFrom(
      '',
      '$direct',
      'www.google.de',
      'bing.com',
      'l.facebook.com',
      'youtu.be',
      'ebay.co.uk',
      'claude.ai',
      'a.b.example.org',
      'localhost',
    )
    const maybe = fc.constantFrom('', '', 'x')
    const arrived = fc.record({
      source,
      medium,
      campaign,
      referringDomain: domain,
      gclid: maybe,
      gadSource: fc.constantFrom('', '', '1', '2'),
      fbclid: maybe,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(arrived, { minLength: 100, maxLength: 200 }), async (all) => {
        expect(await channels(all)).toEqual(all.map(channelOf))
      }),
      { numRuns: 5 },
    )
  })

  it('is named by the rules of the project first, the first of them that holds', async () => {
    const rules: ChannelRule[] = [
      {
        channel_type: 'Partners',
        combiner: 'AND',
        items: [
          { key: 'utm_source', op: 'exact', value: ['Partner', 'friend'] },
          { key: 'utm_medium', op: 'is_not_set' },
        ],
      },
      {
        channel_type: 'Docs',
        combiner: 'OR',
        items: [
          { key: 'pathname', op: 'regex', value: '^/docs' },
          { key: 'referring_domain', op: 'icontains', value: 'wiki' },
        ],
      },
    ]
    const given = [
      { ...NOTHING, source: 'PARTNER' },
      { ...NOTHING, source: 'partner', medium: 'x' },
      { ...NOTHING, referringDomain: 'en.wikipedia.org' },
      { ...NOTHING, source: 'google' },
    ]
    expect(await channels(given, rules)).toEqual(['Partners', 'Direct', 'Docs', 'Organic Search'])
    expect(await channels([NOTHING], rules, '/docs/x')).toEqual(['Docs'])
  })
})
