/**
 * Splits a text that comes in parts into JSON values: one on each line, the elements of one array, or the elements of
 * an array inside one object (`{"batch": [...]}` over many lines). Keeps one value at a time in memory. Invalid JSON is
 * passed on as it is, with its line.
 */
export interface Found {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly text: string
}

export async function* splitValues(parts: AsyncIterable<string>): AsyncGenerator<Found> {
  let splitter: Splitter | null = null
  let held = ''
  for await (const part of parts) {
    if (splitter) yield* splitter.feed(part)
    else {
      held += part
      splitter = chooseSplitter(held)
      if (splitter) yield* splitter.feed(held)
    }
  }
  if (splitter) return yield* splitter.end()
  const last = new Lines()
  yield* last.feed(held)
  yield* last.end()
}

interface Splitter {
  feed(part: string): Found[]
  end(): Found[]
}

/** Null while it cannot be told yet. */
function chooseSplitter(start: string): Splitter | null {
  const first = /[^\s\uFEFF]/.exec(start)
  if (!first) return null
  if (first[0] === '[') return new Elements()
  const newline = start.indexOf('\n', first.index)
  if (newline < 0) return null
  return first[0] === '{' && !isJson(start.slice(first.index, newline)) && goesOn(start.slice(first.index, newline))
    ? new Elements()
    : new Lines()
}

/** The first line of an object that spans several lines. */
const goesOn = (line: string): boolean => /[[{,]$/.test(line.trimEnd())

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

class Lines implements Splitter {
  #line = 0
  #rest = ''

  feed(part: string): Found[] {
    const pieces = part.split('\n')
    pieces[0] = this.#rest + pieces[0]
    this.#rest = pieces.pop() as string
    return pieces.flatMap((text) => this.#found(text))
  }

  end(): Found[] {
    return this.#found(this.#rest)
  }

  #found(text: string): Found[] {
    this.#line += 1
    const trimmed = text.replace(/^\uFEFF/, '').trim()
    return trimmed === '' ? [] : [{ line: this.#line, text: trimmed }]
  }
}

interface Element {
  readonly before: string[]
  readonly depth: number
  readonly line: number
}

/** Elements of the outermost array, or of arrays directly inside the outermost object. */
class Elements implements Splitter {
  /** Open brackets, outermost first. */
  #open = ''
  #inString = false
  #escaped = false
  #line = 1
  /** The current element: its text before this part, its depth, and the line on which it began. */
  #element: Element | null = null

  feed(part: string): Found[] {
    const found: Found[] = []
    let from = 0
    for (let at = 0; at < part.length; at++) {
      const char = part[at] as string
      if (char === '\n') this.#line += 1
      if (this.#inString) {
        this.#stepInString(char)
        continue
      }
      if (this.#begins(char)) {
        this.#element = { before: [], depth: this.#open.length, line: this.#line }
        from = at
      } else if (this.#element?.depth === this.#open.length && (char === ',' || char === ']')) {
        found.push(this.#finish(part.slice(from, at)))
      }
      if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') this.#open += char
      else if (char === '}' || char === ']') this.#open = this.#open.slice(0, -1)
    }
    this.#element?.before.push(part.slice(from))
    return found
  }

  end(): Found[] {
    if (this.#element) return [this.#finish('')]
    return this.#open === '' ? [] : [{ line: this.#line, text: 'the end of the file is missing' }]
  }

  #begins(char: string): boolean {
    return this.#element === null && (this.#open === '[' || this.#open === '{[') && !/[\s,\]]/.test(char)
  }

  #stepInString(char: string): void {
    if (this.#escaped) this.#escaped = false
    else if (char === '\\') this.#escaped = true
    else if (char === '"') this.#inString = false
  }

  #finish(last: string): Found {
    const { before, line } = this.#element as Element
    this.#element = null
    return { line, text: [...before, last].join('').trim() }
  }
}
