/**
 * `$virt_*`: what is worked out of properties when it is asked for. Of an event, which program sent it, by its user
 * agent; of a person, where it first came from. SQL, filters and breakdowns read the same.
 */
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import { type Fragment, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { BOTS, type Bot } from '../../lib/known-bots.ts'
import { ORGANIC_CHANNEL } from './channel-sources.ts'
import { channelType, kindOf } from './channel-type.ts'

/** Which of the known programs a user agent names; 0 when none. */
const botIn = (agent: Fragment): Fragment =>
  sql`multiSearchFirstIndexCaseInsensitive(ifNull(toString(${agent}), ''), ${strings(BOTS.map(({ sign }) => sign))})`

const isWithout = (agent: Fragment): Fragment => sql`empty(ifNull(toString(${agent}), ''))`

type OfAgent = (agent: Fragment) => Fragment

/** Something about the program that a user agent names. */
const ofBot =
  (of: (bot: Bot) => string, ofNobody: string, ofNothing: string): OfAgent =>
  (agent) => {
    const known = sql`arrayElement(${strings([ofNobody, ...BOTS.map(of)])}, ${botIn(agent)} + 1)`
    return sql`if(${isWithout(agent)}, ${str(ofNothing)}, ${known})`
  }

export const isLikelyBot: OfAgent = (agent) => sql`CAST(${isWithout(agent)} OR ${botIn(agent)} > 0, 'Bool')`
export const botName = ofBot(({ name }) => name, '', '')
export const botOperator = ofBot(({ operator }) => operator, '', '')
export const botType = ofBot(({ category }) => category, '', 'no_user_agent')
export const trafficCategory = ofBot(({ category }) => category, 'regular', 'no_user_agent')
export const trafficType = ofBot(({ type }) => type, 'Regular', 'Automation')

const OF_EVENT: Readonly<Record<string, OfAgent>> = {
  $virt_is_bot: isLikelyBot,
  $virt_bot_name: botName,
  $virt_bot_operator: botOperator,
  $virt_traffic_type: trafficType,
  $virt_traffic_category: trafficCategory,
}

/** The text of a property, Nullable(String), by its name. */
type PropertyText = (key: string) => Fragment

export function virtualOfEvent(key: string, property: PropertyText): Fragment | undefined {
  return Object.hasOwn(OF_EVENT, key) ? OF_EVENT[key]?.(property('$raw_user_agent')) : undefined
}

const KINDS = Object.keys(ORGANIC_CHANNEL)

/** What kind of site a domain is; NULL when that is not known. */
export function domainType(domain: Fragment): Fragment {
  const names = strings(KINDS.map((kind) => `${kind[0]?.toUpperCase()}${kind.slice(1)}`))
  return sql`nullIf(transform(${kindOf(sql`lower(ifNull(toString(${domain}), ''))`)}, ${strings(KINDS)}, ${names}, ''), '')`
}

/** Both are texts, of which the kind of domain may be NULL. */
export function virtualOfPerson(
  key: string,
  property: PropertyText,
  rules: readonly ChannelRule[] = [],
): Fragment | undefined {
  const initial = (name: string): Fragment => sql`ifNull(${property(`$initial_${name}`)}, '')`
  if (key === '$virt_initial_referring_domain_type') {
    const domain = initial('referring_domain')
    return sql`if(${domain} = '$direct', '$direct', ${domainType(domain)})`
  }
  if (key !== '$virt_initial_channel_type') return undefined
  const inputs = {
    source: initial('utm_source'),
    medium: initial('utm_medium'),
    campaign: initial('utm_campaign'),
    referringDomain: initial('referring_domain'),
    gclid: initial('gclid'),
    gadSource: initial('gad_source'),
    fbclid: initial('fbclid'),
    url: initial('current_url'),
    pathname: initial('pathname'),
    hostname: initial('host'),
  }
  return channelType(inputs, rules)
}
