/** The rules of channels once more, as plain code, for comparison with the SQL. */
import {
  KIND_OF_SOURCE,
  ORGANIC_CHANNEL,
  ORGANIC_MEDIUM,
  PAID_CHANNEL,
  PAID_MEDIUM,
} from '../../../src/insights/sql/channel-sources.ts'

export interface Arrived {
  readonly source: string
  readonly medium: string
  readonly campaign: string
  readonly referringDomain: string
  readonly gclid: string
  readonly gadSource: string
  readonly fbclid: string
}

const cleaned = (text: string) => (text.toLowerCase() === 'null' ? '' : text.toLowerCase())

/** Of name.tld, www.name.tld and name.co.tld: the name. */
function significant(domain: string): string {
  const labels = domain.split('.')
  const last = labels.length - 2
  return (['co', 'com'].includes(labels[last] ?? '') && last > 0 ? labels[last - 1] : labels[last]) ?? ''
}

const kindOf = (name: string) =>
  KIND_OF_SOURCE.get(name.replace(/^www\./, '')) ??
  (name.includes('.') ? KIND_OF_SOURCE.get(significant(name)) : undefined)

export function channelOf(arrived: Arrived): string {
  const [source, medium, campaign] = [arrived.source, arrived.medium, arrived.campaign].map(cleaned) as [
    string,
    string,
    string,
  ]
  const domain = arrived.referringDomain.toLowerCase()
  const isDirect = domain === '' || domain === '$direct'
  const ofSource = kindOf(source)
  const ofReferrer = isDirect ? undefined : kindOf(domain)
  const shop = /(^|[^a-z])shop(ping)?/.test(campaign)
  const video = campaign.includes('video')
  if (campaign.includes('cross-network')) return 'Cross Network'
  const paidMedia = ['cpc', 'cpm', 'cpv', 'cpa', 'ppc', 'retargeting']
  if (paidMedia.includes(medium) || medium.startsWith('paid') || arrived.gclid || arrived.gadSource) {
    if (ofSource && PAID_CHANNEL[ofSource]) return PAID_CHANNEL[ofSource]
    if (shop) return 'Paid Shopping'
    if (PAID_MEDIUM.has(medium)) return PAID_MEDIUM.get(medium) as string
    if (ofReferrer && PAID_CHANNEL[ofReferrer]) return PAID_CHANNEL[ofReferrer]
    if (arrived.gadSource === '1') return 'Paid Search'
    if (video) return 'Paid Video'
    return arrived.fbclid ? 'Paid Social' : 'Paid Unknown'
  }
  const saysDirect = ['', '(direct)', 'direct', '$direct'].includes(source)
  if (domain === '$direct' && medium === '' && saysDirect && !arrived.fbclid) return 'Direct'
  if (ofSource) return ORGANIC_CHANNEL[ofSource]
  if (shop) return 'Organic Shopping'
  if (ORGANIC_MEDIUM.has(medium)) return ORGANIC_MEDIUM.get(medium) as string
  if (ofReferrer) return ORGANIC_CHANNEL[ofReferrer]
  if (video) return 'Organic Video'
  if (medium.endsWith('push')) return 'Push'
  if (arrived.fbclid) return 'Organic Social'
  if (domain === '$direct') return 'Direct'
  return domain === '' ? 'Unknown' : 'Referral'
}
