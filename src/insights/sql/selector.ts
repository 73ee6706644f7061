/** A simple CSS selector as a regular expression over an elements chain, which lists the innermost element first. */
import { InvalidQuery } from '../../lib/invalid-input.ts'

const PART = /([.#]?)([A-Za-z0-9_-]+)|\[([A-Za-z0-9_:-]+)=["']?([^"'\]]*)["']?\]|:nth-(child|of-type)\((\d+)\)|(\*)/y

export function selectorPattern(selector: string): string {
  const steps = selector
    .trim()
    .replace(/\s*>\s*/g, ' > ')
    .split(/\s+/)
  let pattern = ''
  let direct = true
  for (const step of steps.reverse()) {
    if (step === '>') {
      direct = true
      continue
    }
    const element = elementPattern(step, selector)
    pattern += pattern === '' ? `(?:^|;)${element}` : direct ? `;${element}` : `;(?:[^;]*;)*${element}`
    direct = false
  }
  return pattern
}

/** One element: its tag, then its classes in any order, then its attributes, up to the next element. */
function elementPattern(text: string, selector: string): string {
  let tag = '[a-zA-Z0-9-]+'
  const classes: string[] = []
  const attributes: string[] = []
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const match = PART.exec(text)
    if (match === null) {
      throw new InvalidQuery(`The selector ${JSON.stringify(selector)} has a part that is not supported.`, [
        'properties',
      ])
    }
    const [, sign, name, attribute, value, nth, index] = match
    if (name !== undefined && sign === '') tag = escaped(name)
    else if (name !== undefined && sign === '.') classes.push(escaped(name))
    else if (name !== undefined) attributes.push(`attr_id="${escaped(name)}"`)
    else if (attribute !== undefined) attributes.push(attributePattern(attribute, value ?? ''))
    else if (nth !== undefined) attributes.push(`nth-${nth}="${index}"`)
  }
  const ofClasses = classes.toSorted().map((name) => `(?:[^;:]*?)\\.${name}(?:[.:;]|$)`)
  const first = ofClasses.length === 0 ? '' : ofClasses.map((each) => each.replace('(?:[.:;]|$)', '')).join('')
  const rest = attributes
    .toSorted()
    .map((each) => `[^;]*?${each}`)
    .join('')
  return `${tag}${first}(?:[.:][^;]*?)?${rest}(?:[^;]*)`
}

const attributePattern = (name: string, value: string): string =>
  name === 'href' || name === 'text' ? `${name}="${escaped(value)}"` : `attr__${escaped(name)}="${escaped(value)}"`

const escaped = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, (char) => `\\${char}`)
