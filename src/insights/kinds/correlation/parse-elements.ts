/** A chain of elements as text ("a.class:attr="x"nth-child="1"...;div:...") back as the elements it was made of. */
import type { ChainElement } from '../../../contract/results/index.ts'

/** Up to the next semicolon outside quotes. */
const ELEMENT = /(?:[^";\\]|\\.|"(?:[^"\\]|\\.)*")+/g
const ATTRIBUTE = /([A-Za-z0-9_\-:.@$]+?)="((?:[^"\\]|\\.)*)"/g

export const elementsIn = (chain: string): ChainElement[] => (chain.match(ELEMENT) ?? []).map(elementOf)

function elementOf(text: string, order: number): ChainElement {
  const colon = text.search(/:(?=[^:]*="|$)/)
  const head = colon < 0 ? text : text.slice(0, colon)
  const [tag = '', ...classes] = head.split('.')
  const attributes: Record<string, string> = {}
  const own: Record<string, string> = {}
  for (const [, name = '', raw = ''] of (colon < 0 ? '' : text.slice(colon + 1)).matchAll(ATTRIBUTE)) {
    const value = raw.replaceAll('\\"', '"')
    if (name.startsWith('attr__')) attributes[name] = value
    else own[name] = value
  }
  const number = (name: string): number | null => (own[name] === undefined ? null : Number(own[name]))
  return {
    text: own.text ?? null,
    tag_name: tag,
    attr_class: classes.length > 0 ? classes : null,
    href: own.href ?? null,
    attr_id: own.attr_id ?? null,
    nth_child: number('nth-child'),
    nth_of_type: number('nth-of-type'),
    attributes,
    order,
  }
}
