import type { Select } from './ast.ts'

/** Every name a SELECT gives to a value of its own: columns, and aliases inside expressions. */
export function aliasesOf(select: Select): Set<string> {
  const found = new Set<string>()
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const each of node) look(each)
      return
    }
    const { kind, name } = node as { kind?: unknown; name?: unknown }
    if (kind === 'query' || kind === 'exists') return
    if (kind === 'alias' && typeof name === 'string') found.add(name)
    for (const each of Object.values(node)) look(each)
  }
  for (const { alias } of [...select.items, ...select.arrayJoins]) if (alias !== null) found.add(alias)
  for (const each of [select.items, select.prewhere, select.where, select.groupBy, select.having, select.orderBy])
    look(each)
  return found
}
