/**
 * The channel a session came through, by the rules of the project and then by ours: the first rule that holds decides.
 * It is decided when it is asked for, so a changed rule holds for sessions of the past too.
 */
import type { ChannelCondition, ChannelField, ChannelRule } from '../../contract/resources/channel-rule.ts'
import { and, type Fragment, join, or, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { KIND_OF_SOURCE, ORGANIC_CHANNEL, ORGANIC_MEDIUM, PAID_CHANNEL, PAID_MEDIUM } from './channel-sources.ts'

/** Texts of a session's first event, '' where it has none. */
export interface ChannelInputs {
  readonly source: Fragment
  readonly medium: Fragment
  readonly campaign: Fragment
  readonly referringDomain: Fragment
  readonly gclid: Fragment
  readonly gadSource: Fragment
  readonly fbclid: Fragment
  readonly url: Fragment
  readonly pathname: Fragment
  readonly hostname: Fragment
}

export function channelType(inputs: ChannelInputs, rules: readonly ChannelRule[]): Fragment {
  const source = cleaned(inputs.source)
  const medium = cleaned(inputs.medium)
  const campaign = cleaned(inputs.campaign)
  const domain = sql`lower(${inputs.referringDomain})`
  const isDirect = sql`${domain} IN ('', '$direct')`
  const paid = sql`(${medium} IN ('cpc', 'cpm', 'cpv', 'cpa', 'ppc', 'retargeting') OR startsWith(${medium}, 'paid')
    OR ${inputs.gclid} != '' OR ${inputs.gadSource} != '')`
  const shop = sql`match(${campaign}, '(^|[^a-z])shop(ping)?')`
  const video = sql`position(${campaign}, 'video') > 0`
  const own = rules.map((rule) => sql`${ruleHolds(rule, inputs)}, ${str(rule.channel_type)},`)
  // Each kind is looked up once and has a name for the other places that need it.
  const sourceKind = sql`kind_of_source`
  const referrerKind = sql`kind_of_referrer`
  const channelOf = (kind: Fragment, channels: Channels) =>
    sql`transform(${kind}, ${strings(Object.keys(channels))}, ${strings(Object.values(channels))}, '')`
  const ofMedium = (channels: ReadonlyMap<string, string>) =>
    sql`transform(${medium}, ${strings([...channels.keys()])}, ${strings([...channels.values()])}, '')`
  const paidChannel = firstText([
    channelOf(sql`(${kindOf(source)} AS ${sourceKind})`, PAID_CHANNEL),
    sql`if(${shop}, 'Paid Shopping', '')`,
    ofMedium(PAID_MEDIUM),
    channelOf(sql`(if(${isDirect}, '', ${kindOf(domain)}) AS ${referrerKind})`, PAID_CHANNEL),
    sql`multiIf(${inputs.gadSource} = '1', 'Paid Search', ${video}, 'Paid Video', ${inputs.fbclid} != '', 'Paid Social', 'Paid Unknown')`,
  ])
  const organicChannel = firstText([
    channelOf(sourceKind, ORGANIC_CHANNEL),
    sql`if(${shop}, 'Organic Shopping', '')`,
    ofMedium(ORGANIC_MEDIUM),
    channelOf(referrerKind, ORGANIC_CHANNEL),
    sql`multiIf(${video}, 'Organic Video', endsWith(${medium}, 'push'), 'Push', ${inputs.fbclid} != '', 'Organic Social',
      ${domain} = '$direct', 'Direct', ${domain} != '', 'Referral', 'Unknown')`,
  ])
  return sql`multiIf(${own.reduce((all, each) => sql`${all}${each} `, sql``)}
    position(${campaign}, 'cross-network') > 0, 'Cross Network',
    ${paid}, ${paidChannel},
    ${domain} = '$direct' AND ${medium} = '' AND ${source} IN ('', '(direct)', 'direct', '$direct') AND ${inputs.fbclid} = '', 'Direct',
    ${organicChannel})`
}

type Channels = Readonly<Record<string, string>>

const cleaned = (text: Fragment): Fragment => sql`replaceRegexpOne(lower(${text}), '^null$', '')`

/** As a whole, without www., or by the significant part of the domain. */
export function kindOf(name: Fragment): Fragment {
  const names = strings([...KIND_OF_SOURCE.keys()])
  const kinds = strings([...KIND_OF_SOURCE.values()])
  return firstText([
    sql`transform(cutWWW(${name}), ${names}, ${kinds}, '')`,
    sql`transform(firstSignificantSubdomain(concat('http://', ${name})), ${names}, ${kinds}, '')`,
  ])
}

/** The last is never empty. */
const firstText = (parts: readonly Fragment[]): Fragment =>
  sql`coalesce(${join(
    parts.map((part) => sql`nullIf(${part}, '')`),
    ', ',
  )}, '')`

function ruleHolds(rule: ChannelRule, inputs: ChannelInputs): Fragment {
  const conditions = rule.items.map((item) => conditionHolds(item, inputs))
  return rule.combiner === 'AND' ? and(conditions) : or(conditions)
}

const FIELDS: Readonly<Record<ChannelField, keyof ChannelInputs>> = {
  utm_source: 'source',
  utm_medium: 'medium',
  utm_campaign: 'campaign',
  referring_domain: 'referringDomain',
  url: 'url',
  pathname: 'pathname',
  hostname: 'hostname',
}

/** Texts are compared without regard to case. */
function conditionHolds({ key, op, value }: ChannelCondition, inputs: ChannelInputs): Fragment {
  const text = sql`lower(${inputs[FIELDS[key]]})`
  const values = (Array.isArray(value) ? value : [value ?? '']).map((each) => each.toLowerCase())
  const any = (test: (each: string) => Fragment) => or(values.map(test))
  switch (op) {
    case 'is_set':
      return sql`${text} != ''`
    case 'is_not_set':
      return sql`${text} = ''`
    case 'exact':
      return sql`${text} IN ${strings(values)}`
    case 'is_not':
      return sql`${text} NOT IN ${strings(values)}`
    case 'icontains':
      return any((each) => sql`position(${text}, ${str(each)}) > 0`)
    case 'not_icontains':
      return sql`NOT ${any((each) => sql`position(${text}, ${str(each)}) > 0`)}`
    case 'regex':
      return any((each) => sql`match(${text}, ${str(each)})`)
    case 'not_regex':
      return sql`NOT ${any((each) => sql`match(${text}, ${str(each)})`)}`
  }
}
