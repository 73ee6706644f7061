import { describe, expect, it } from 'vitest'
import { SNIPPET } from './footfall-snippet.ts'
import { itemOf } from './pixel.ts'

describe('the pixel', () => {
  it('is a pageview without a cookie, of the page that shows it', () => {
    const query = new URLSearchParams({ token: 'phc_x', ref: 'https://www.google.com/search', campaign_id: '7' })
    expect(itemOf(query, 'https://site.test/pricing?utm_source=mail')).toEqual({
      api_key: 'phc_x',
      event: '$pageview',
      distinct_id: '$posthog_cookieless',
      properties: {
        $lib: 'footfall-pixel',
        campaign_id: '7',
        $current_url: 'https://site.test/pricing?utm_source=mail',
        $host: 'site.test',
        $pathname: '/pricing',
        utm_source: 'mail',
        $referrer: 'https://www.google.com/search',
        $referring_domain: 'www.google.com',
        $cookieless_mode: true,
      },
    })
  })

  it('may say who opened the mail, and what it was', () => {
    const query = new URLSearchParams({ api_key: 'phc_x', event: 'mail opened', distinct_id: 'ada' })
    expect(itemOf(query, undefined)).toEqual({
      api_key: 'phc_x',
      event: 'mail opened',
      distinct_id: 'ada',
      properties: { $lib: 'footfall-pixel', $referrer: '$direct', $referring_domain: '$direct' },
    })
  })
})

it('the small script stays under 2 kB and can be read by a browser', () => {
  expect(Buffer.byteLength(SNIPPET)).toBeLessThan(2_048)
  expect(() => new Function(SNIPPET)).not.toThrow()
})
