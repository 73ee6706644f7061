import { likelihood, type Outcomes } from './likelihood.ts'

/** Of a few people nothing can be concluded. */
export const LEAST_PEOPLE = 5

interface Finding {
  readonly event: { readonly event: string }
  readonly success_count: number
  readonly failure_count: number
  readonly correlation_type: keyof Outcomes
}

/**
 * Findings about enough people that made a difference, each told once: a page as URL and as path, a browser and the
 * first browser are the same finding to whoever reads them. The strongest comes first and stays.
 */
export function worthTelling<F extends Finding>(findings: readonly F[], ofAll: Outcomes, ofProperties: boolean): F[] {
  const told = new Set<string>()
  return findings.filter((finding) => {
    if (finding.success_count + finding.failure_count < LEAST_PEOPLE) return false
    if (!madeDifference(finding, ofAll)) return false
    const same = ofProperties ? sameFor(finding.event.event) : finding.event.event
    if (told.has(same)) return false
    told.add(same)
    return true
  })
}

/**
 * The odds ratio counts one person more everywhere, so that it can always be divided. What everybody did then seems to
 * lead to the more frequent end, and something rare may seem to lead to the opposite of what its people did.
 */
function madeDifference(finding: Finding, ofAll: Outcomes): boolean {
  const ofThem = { success: finding.success_count, failure: finding.failure_count }
  const { withIt, without } = likelihood(ofThem, ofAll, finding.correlation_type)
  return withIt !== null && without !== null && withIt > without
}

/** `$initial_current_url::https://a.example/pricing` and `$pathname::/pricing` are one. */
function sameFor(text: string): string {
  const [key = '', ...rest] = text.split('::')
  const plain = key.replace(/^\$initial_/, '$')
  const value = rest.join('::')
  return plain === '$current_url' || plain === '$pathname' ? `page::${pathOf(value)}` : `${plain}::${value}`
}

function pathOf(value: string): string {
  try {
    return new URL(value).pathname
  } catch {
    return value
  }
}
