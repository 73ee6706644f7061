/** The clicked element and its parents, read from the chain that an event is stored with. */
interface Element {
  readonly text: string | null
  readonly tag_name: string
  readonly attr_class: readonly string[] | null
  readonly href: string | null
  readonly attr_id: string | null
  readonly nth_child: number | null
  readonly nth_of_type: number | null
  readonly attributes: Readonly<Record<string, string>>
  /** 0 is the clicked one. */
  readonly order: number
}

/** Innermost first: `button.primary:attr__id="buy"nth-child="1"text="Buy";div:...`. */
export const elementsIn = (chain: string): Element[] => partsOf(chain).map(elementOf)

/** Elements are separated by semicolons; semicolons within quotes belong to a value. */
function partsOf(chain: string): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < chain.length; at++) {
    const char = chain[at]
    if (quoted && char === '\\') at++
    else if (char === '"') quoted = !quoted
    else if (char === ';' && !quoted) {
      parts.push(chain.slice(start, at))
      start = at + 1
    }
  }
  parts.push(chain.slice(start))
  return parts.filter((part) => part !== '')
}

function elementOf(part: string, order: number): Element {
  // Class names may contain colons too: the attributes begin at the colon that is followed by a name and a quote.
  const colon = part.search(/:(?=[\w-]*=")/)
  const head = colon < 0 ? part.replace(/:$/, '') : part.slice(0, colon)
  const [tag = '', ...classes] = head.split('.')
  const values = colon < 0 ? new Map<string, string>() : valuesIn(part.slice(colon + 1))
  const text = (name: string) => values.get(name) ?? null
  const position = (name: string) => (/^\d{1,9}$/.test(values.get(name) ?? '') ? Number(values.get(name)) : null)
  return {
    text: text('text'),
    tag_name: tag,
    attr_class: classes.length > 0 ? classes.filter((name) => name !== '') : null,
    href: text('href'),
    attr_id: text('attr_id'),
    nth_child: position('nth-child'),
    nth_of_type: position('nth-of-type'),
    attributes: Object.fromEntries([...values].filter(([name]) => !FIELDS.has(name))),
    order,
  }
}

/** Attributes that have a field of their own. */
const FIELDS = new Set(['text', 'href', 'attr_id', 'nth-child', 'nth-of-type'])

/** name="value"name="value", with quotes in values escaped by a backslash. */
function valuesIn(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/([^="]+)="([^"\\]*(?:\\.[^"\\]*)*)"/gs))
    values.set(name, value.replaceAll('\\"', '"'))
  return values
}
