import { asText, isObject, type Json, type JsonObject } from '../lib/json.ts'

/**
 * The clicked element and its parents as one text: sent as `$elements_chain`, or built from the older `$elements`
 * array.
 */
export function elementsChainOf(properties: JsonObject): string {
  if (typeof properties.$elements_chain === 'string') return properties.$elements_chain
  return Array.isArray(properties.$elements) ? properties.$elements.filter(isObject).map(elementText).join(';') : ''
}

/** tag.class1.class2:attr="value"nth-child="1"text="...", attributes in alphabetical order. */
function elementText(element: Record<string, Json>): string {
  const tag = textOf(element.tag_name) || 'unknown'
  const classes = classesOf(element)
  const attributes: Record<string, string> = {}
  const put = (name: string, value: Json | undefined) => {
    if (value !== undefined && value !== null && value !== '') attributes[name] = textOf(value)
  }
  put('text', element.$el_text ?? element.text)
  put('attr_id', element.attr_id ?? element.attr__id)
  put('href', element.attr__href ?? element.href)
  put('nth-child', element.nth_child)
  put('nth-of-type', element.nth_of_type)
  for (const [name, value] of Object.entries(element)) {
    if (name.startsWith('attr__')) put(name, value)
  }
  const pairs = Object.keys(attributes)
    .sort()
    .map((name) => `${name}="${(attributes[name] as string).replaceAll('"', '\\"')}"`)
  return `${[tag, ...[...classes].sort()].join('.')}:${pairs.join('')}`
}

function classesOf(element: Record<string, Json>): string[] {
  const given = element.attr_class ?? element.attr__class
  if (Array.isArray(given)) return given.map(textOf).filter(Boolean)
  return typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : []
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(textOf).join(',') : asText(value)
}
