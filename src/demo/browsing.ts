/**
 * What a browser says besides what the story is about: language, screen and place, how a page was left, how fast it was,
 * links to other sites; and the visits of bots. Nothing here draws random numbers of the story.
 */
import { DAY, MINUTE, SECOND } from '../lib/durations.ts'
import type { JsonObject } from '../lib/json.ts'
import { beside, shareOf, uuidOf } from './beside.ts'
import { withHeat } from './heat.ts'
import type { DemoEvent } from './journey.ts'

interface Place {
  readonly code: string
  readonly language: string
  readonly zone: string
  /** Cities, each with the code and the name of its region; the first has most visitors. */
  readonly cities: readonly (readonly [city: string, region: string, name: string])[]
}

const PLACES: Readonly<Record<string, Place>> = {
  'United States': {
    code: 'US',
    language: 'en-US',
    zone: 'America/New_York',
    cities: [
      ['New York', 'NY', 'New York'],
      ['San Francisco', 'CA', 'California'],
      ['Austin', 'TX', 'Texas'],
    ],
  },
  Germany: {
    code: 'DE',
    language: 'de-DE',
    zone: 'Europe/Berlin',
    cities: [
      ['Berlin', 'BE', 'Berlin'],
      ['Munich', 'BY', 'Bavaria'],
      ['Hamburg', 'HH', 'Hamburg'],
    ],
  },
  'United Kingdom': {
    code: 'GB',
    language: 'en-GB',
    zone: 'Europe/London',
    cities: [
      ['London', 'ENG', 'England'],
      ['Edinburgh', 'SCT', 'Scotland'],
    ],
  },
  France: {
    code: 'FR',
    language: 'fr-FR',
    zone: 'Europe/Paris',
    cities: [
      ['Paris', 'IDF', 'Île-de-France'],
      ['Lyon', 'ARA', 'Auvergne-Rhône-Alpes'],
    ],
  },
  Netherlands: { code: 'NL', language: 'nl-NL', zone: 'Europe/Amsterdam', cities: [['Utrecht', 'UT', 'Utrecht']] },
  India: {
    code: 'IN',
    language: 'en-IN',
    zone: 'Asia/Kolkata',
    cities: [
      ['Bengaluru', 'KA', 'Karnataka'],
      ['Pune', 'MH', 'Maharashtra'],
    ],
  },
  Brazil: { code: 'BR', language: 'pt-BR', zone: 'America/Sao_Paulo', cities: [['São Paulo', 'SP', 'São Paulo']] },
  Japan: { code: 'JP', language: 'ja-JP', zone: 'Asia/Tokyo', cities: [['Tokyo', '13', 'Tokyo']] },
}

const SCREENS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  Desktop: [
    [1920, 937],
    [1440, 789],
    [1536, 730],
    [2560, 1289],
  ],
  Mobile: [
    [390, 664],
    [412, 785],
    [360, 640],
  ],
}

const SYSTEMS: Readonly<Record<string, string>> = {
  'Mac OS X': 'Macintosh; Intel Mac OS X 10_15_7',
  Windows: 'Windows NT 10.0; Win64; x64',
  Linux: 'X11; Linux x86_64',
  iOS: 'iPhone; CPU iPhone OS 18_1 like Mac OS X',
  Android: 'Linux; Android 15; Pixel 9',
}
const ENGINE = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const BROWSERS: Readonly<Record<string, string>> = {
  Chrome: `${ENGINE} Chrome/142.0.0.0 Safari/537.36`,
  Safari: 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  Firefox: 'Gecko/20100101 Firefox/145.0',
  'Microsoft Edge': `${ENGINE} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  'Mobile Safari': 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
}

/** Some who came from one place came from another like it. */
const ALSO: Readonly<Record<string, readonly (readonly [domain: string, share: number])[]>> = {
  'github.com': [
    ['chatgpt.com', 0.3],
    ['www.linkedin.com', 0.25],
  ],
  'news.ycombinator.com': [['www.reddit.com', 0.3]],
  'www.google.com': [
    ['www.bing.com', 0.08],
    ['duckduckgo.com', 0.06],
  ],
}

const LINKS = ['https://github.com/harbour/harbour', 'https://status.harbour.example/', 'https://x.com/harbour_app']

const from = <T>(items: readonly T[], share: number): T => items[Math.floor(share * items.length)] as T

/** The events of one visitor, as their browser sends them. */
export function withBrowsing(events: readonly DemoEvent[]): DemoEvent[] {
  const [first] = events
  if (first === undefined) return []
  const known = factsOf(first)
  const told = events.map((event) => ({ ...event, properties: { ...event.properties, ...known } }))
  const left = new Map<unknown, DemoEvent>()
  return told.flatMap((event) => {
    if (event.event !== '$pageview') return [withHeat(event)]
    const before = left.get(event.properties.$session_id)
    left.set(event.properties.$session_id, event)
    return [
      before ? { ...event, properties: { ...event.properties, ...leaving(before, event) } } : event,
      ...vitals(event),
      ...clicks(event),
    ]
  })
}

function factsOf({ properties, distinct_id: who }: DemoEvent): JsonObject {
  const place = PLACES[String(properties.$geoip_country_name)]
  const [city, region, name] = place ? from(place.cities, shareOf(`city ${who}`) ** 2) : []
  const [width, height] = from(SCREENS[String(properties.$device_type)] ?? [], shareOf(`screen ${who}`) ** 1.6) ?? []
  const paid = properties.utm_medium === 'cpc'
  return {
    ...(place
      ? {
          $geoip_country_code: place.code,
          $geoip_city_name: city as string,
          $geoip_subdivision_1_code: region as string,
          $geoip_subdivision_1_name: name as string,
          $browser_language: place.language,
          $timezone: place.zone,
        }
      : {}),
    // The story is sent by a program, and would be taken for one.
    $raw_user_agent: `Mozilla/5.0 (${SYSTEMS[String(properties.$os)]}) ${BROWSERS[String(properties.$browser)]}`,
    ...(width && height ? { $viewport_width: width, $viewport_height: height } : {}),
    ...(paid
      ? {
          utm_term: from(['planning tool', 'kanban board', 'task board'], shareOf(`term ${who}`)),
          utm_content: from(['headline-a', 'headline-b'], shareOf(`content ${who}`)),
        }
      : {}),
    ...sourceOf(properties, who),
  }
}

function sourceOf(properties: JsonObject, who: string): JsonObject {
  if (properties.utm_source !== undefined) return {}
  let share = shareOf(`source ${who}`)
  for (const [domain, part] of ALSO[String(properties.$referring_domain)] ?? []) {
    if (share < part) return { $referring_domain: domain, $referrer: `https://${domain}/` }
    share -= part
  }
  return {}
}

/** How far the page before was read, and for how long. */
function leaving(before: DemoEvent, { at }: DemoEvent): JsonObject {
  const read = Math.min(1, 0.25 + shareOf(`read ${before.uuid}`) * 0.85)
  return {
    $prev_pageview_pathname: before.properties.$pathname as string,
    $prev_pageview_duration: Math.round((at - before.at) / SECOND),
    $prev_pageview_max_content_percentage: Math.round(read * 100) / 100,
    $prev_pageview_max_scroll_percentage: Math.round(read * 100) / 100,
  }
}

/** Pages of the app are slower than those of the site, and the board is the slowest. */
const SLOW: Readonly<Record<string, number>> = {
  '/app/board': 2.3,
  '/app/import': 1.6,
  '/blog/planning-without-meetings': 1.4,
}

/** Of every fourth view. */
function vitals(page: DemoEvent): DemoEvent[] {
  const luck = shareOf(`vitals ${page.uuid}`)
  if (luck > 0.25) return []
  const slow = (SLOW[String(page.properties.$pathname)] ?? 1) * (page.properties.$device_type === 'Mobile' ? 1.5 : 1)
  const fcp = Math.round((500 + 2_200 * luck * 4) * slow * 0.7)
  return [
    beside(
      page,
      '$web_vitals',
      {
        $web_vitals_FCP_value: fcp,
        $web_vitals_LCP_value: Math.round(fcp * 1.45),
        $web_vitals_INP_value: Math.round((60 + 180 * luck * 4) * slow),
        $web_vitals_CLS_value: Math.round(0.06 * slow * (0.4 + luck * 4) * 1000) / 1000,
      },
      3,
    ),
  ]
}

function clicks(page: DemoEvent): DemoEvent[] {
  const luck = shareOf(`link ${page.uuid}`)
  if (luck > 0.06 || String(page.properties.$pathname).startsWith('/app')) return []
  const url = from(LINKS, shareOf(`which ${page.uuid}`) ** 1.7)
  return [beside(page, '$autocapture', { $event_type: 'click', $external_click_url: url, $el_text: 'Read more' }, 8)]
}

const AGENTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
]
const CRAWLED = ['/', '/pricing', '/features/boards', '/customers', '/blog/planning-without-meetings']
const VISITED_DAYS = 66

/** A bot reads a few pages within a minute; it has no profile. */
export function botVisit(index: number, begin: number, end: number): DemoEvent[] {
  const name = `bot ${index}`
  const agent = from(AGENTS, shareOf(`${name} agent`))
  const start = begin + shareOf(name) * VISITED_DAYS * DAY
  const pages = 1 + Math.floor(shareOf(`${name} pages`) * 3)
  return CRAWLED.slice(0, pages)
    .map((path, at) => ({
      uuid: uuidOf(`${name} ${path}`),
      event: '$pageview',
      distinct_id: uuidOf(name),
      at: Math.round(start + (at * MINUTE) / 6),
      properties: {
        $current_url: `https://harbour.example${path}`,
        $host: 'harbour.example',
        $pathname: path,
        $session_id: uuidOf(`${name} session`),
        $raw_user_agent: agent,
        $referrer: '$direct',
        $referring_domain: '$direct',
        $geoip_country_code: 'US',
        $process_person_profile: false,
        $lib: 'web',
      },
    }))
    .filter(({ at }) => at < end)
}
