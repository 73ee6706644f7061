import type { Random } from './random.ts'

/** The visitors of Harbour, an invented tool for planning work: their country, browser and company. */
export interface Visitor {
  readonly anonymousId: string
  readonly userId: string
  readonly firstName: string
  readonly email: string
  readonly company: Company
  readonly browser: string
  readonly os: string
  readonly device: 'Desktop' | 'Mobile'
  readonly country: string
  readonly source: Source
  /** Days after the first day, with a fraction. */
  readonly arrives: number
}

interface Company {
  readonly key: string
  readonly name: string
  readonly industry: string
  readonly employees: number
  readonly plan: 'free' | 'team' | 'scale'
}

interface Source {
  readonly referrer: string
  readonly domain: string
  readonly utm?: Readonly<Record<string, string>>
  /** How likely such visitors are to sign up, compared with others. */
  readonly warmth: number
}

const SOURCES: readonly (readonly [Source, number])[] = [
  [{ referrer: 'https://www.google.com/', domain: 'www.google.com', warmth: 1 }, 38],
  [{ referrer: '$direct', domain: '$direct', warmth: 1.2 }, 24],
  [{ referrer: 'https://news.ycombinator.com/', domain: 'news.ycombinator.com', warmth: 0.5 }, 9],
  [{ referrer: 'https://github.com/', domain: 'github.com', warmth: 1.3 }, 8],
  [
    {
      referrer: 'https://www.google.com/',
      domain: 'www.google.com',
      utm: { utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'planning-tools' },
      warmth: 0.8,
    },
    11,
  ],
  [
    {
      referrer: 'https://newsletter.example.com/',
      domain: 'newsletter.example.com',
      utm: { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'autumn' },
      warmth: 1.8,
    },
    10,
  ],
]

const DEVICES: readonly (readonly [Pick<Visitor, 'browser' | 'os' | 'device'>, number])[] = [
  [{ browser: 'Chrome', os: 'Mac OS X', device: 'Desktop' }, 28],
  [{ browser: 'Chrome', os: 'Windows', device: 'Desktop' }, 26],
  [{ browser: 'Safari', os: 'Mac OS X', device: 'Desktop' }, 11],
  [{ browser: 'Firefox', os: 'Linux', device: 'Desktop' }, 18],
  [{ browser: 'Microsoft Edge', os: 'Windows', device: 'Desktop' }, 7],
  [{ browser: 'Mobile Safari', os: 'iOS', device: 'Mobile' }, 11],
  [{ browser: 'Chrome', os: 'Android', device: 'Mobile' }, 7],
]

const COUNTRIES = [
  ['United States', 34],
  ['Germany', 17],
  ['United Kingdom', 12],
  ['France', 9],
  ['Netherlands', 7],
  ['India', 8],
  ['Brazil', 6],
  ['Japan', 7],
] as const

const NAMES =
  'Ada Alan Alma Amir Ana Ben Bea Carl Cora Dana Dev Edda Eli Emma Erik Eva Femi Finn Gita Gus Hana Hugo Ida Igor Ines Ivan Jan Jada Jonas Kai Kira Lars Lea Leo Lina Luis Maja Marco Mei Mila Nils Noor Olga Omar Otto Paul Petra Rani Rosa Ruth Sam Sara Sven Tara Theo Tom Uma Vera Viktor Yuki Zoe'.split(
    ' ',
  )
const SURNAMES =
  'Adler Baker Costa Diaz Ekberg Fischer Garcia Hansen Ito Jensen Khan Lopez Meyer Novak Okafor Patel Quinn Rossi Silva Tanaka Ueda Varga Weber Yilmaz Zimmer'.split(
    ' ',
  )
const FIRST = 'Blue North Bright Iron Green Paper River Stone Cloud Maple Silver Quiet Swift Amber Copper'.split(' ')
const SECOND = 'Works Labs Freight Studio Foods Systems Books Motors Health Media Bikes Garden Analytics Press'.split(
  ' ',
)
const INDUSTRIES = ['software', 'logistics', 'media', 'retail', 'health', 'education']

export function companies(random: Random, count: number): Company[] {
  const names = new Set<string>()
  while (names.size < count) names.add(`${random.pick(FIRST)} ${random.pick(SECOND)}`)
  return [...names].map((name) => ({
    key: name.toLowerCase().replace(' ', '-'),
    name,
    industry: random.pick(INDUSTRIES),
    employees: Math.round(2 ** random.between(1.5, 9)),
    plan: random.draw([
      ['free', 60],
      ['team', 28],
      ['scale', 12],
    ] as const),
  }))
}

export function visitor(random: Random, index: number, days: number, known: readonly Company[]): Visitor {
  const firstName = random.pick(NAMES)
  const surname = random.pick(SURNAMES)
  const company = random.pick(known)
  const device = random.draw(DEVICES)
  return {
    anonymousId: random.uuid(),
    userId: `user-${1000 + index}`,
    firstName,
    email: `${firstName}.${surname}.${index}@${company.key}.example`.toLowerCase(),
    company,
    ...device,
    country: random.draw(COUNTRIES),
    source: random.draw(SOURCES),
    arrives: arrival(random, days),
  }
}

/** The first day is a Monday. */
export const isWeekend = (day: number): boolean => Math.floor(day) % 7 >= 5

/** More towards the end, mostly in office hours and on weekdays: a product that grows and is used at work. */
function arrival(random: Random, days: number): number {
  const wanted = Math.floor(days * random.next() ** 0.72)
  // Most weekend visits are moved to a weekday before.
  const day = random.chance(0.65) && isWeekend(wanted) ? wanted - (wanted % 7) + (wanted % 5) : wanted
  const hour = random.draw([
    [random.between(8, 12), 45],
    [random.between(12, 18), 45],
    [random.between(18, 23), 10],
  ] as const)
  return Math.min(day, days - 1) + hour / 24
}
