/** Of a few people nothing can be concluded. */
export const LEAST_PEOPLE = 5

interface Finding {
  readonly event: { readonly event: string }
  readonly success_count: number
  readonly failure_count: number
}

/**
 * Findings about enough people, each told once: a page as URL and as path, a browser and the first browser are the same
 * finding to whoever reads them. The strongest comes first and stays.
 */
export function worthTelling<F extends Finding>(findings: readonly F[], ofProperties: boolean): F[] {
  const told = new Set<string>()
  return findings.filter((finding) => {
    if (finding.success_count + finding.failure_count < LEAST_PEOPLE) return false
    const same = ofProperties ? sameFor(finding.event.event) : finding.event.event
    if (told.has(same)) return false
    told.add(same)
    return true
  })
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
