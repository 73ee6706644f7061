/** The regular expressions in a question: where they stand, and what to say of one that cannot be read. */
import { type PropertyFilter, placeOf } from '../../contract/queries/index.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'

export interface Pattern {
  readonly pattern: string
  /** Where it was sent. */
  readonly path: Path
  /** The property it is about. */
  readonly key?: string
}

export function notAPattern(each: Pattern): InvalidQuery {
  const { pattern, key } = each
  const whose = key === undefined ? '' : ` for "${key}"`
  return new InvalidQuery(
    `The pattern ${JSON.stringify(pattern.slice(0, 200))}${whose} is not a regular expression (RE2): send one that is, ` +
      'such as "^/pricing", or the operator icontains for a plain text.',
    each.path,
  )
}

/** A filter knows where it stood in its properties; where those stand is where the walk met them. */
export function patternsIn(node: unknown, path: Path | null, inGroup = false): Pattern[] {
  if (typeof node !== 'object' || node === null) return []
  if (isRegexFilter(node)) {
    const at = [...(path ?? []), ...(placeOf(node) ?? []), 'value']
    return node.values.map((pattern) => ({ pattern, path: at, key: node.key }))
  }
  const isGroup = inGroup || (node as { kind?: unknown }).kind === 'group'
  return Object.entries(node).flatMap(([key, value]) =>
    patternsIn(value, path === null || isGroup ? path : [...path, key], isGroup),
  )
}

const isRegexFilter = (node: Partial<PropertyFilter>): node is PropertyFilter =>
  node.kind === 'property' && (node.operator === 'regex' || node.operator === 'not_regex')
