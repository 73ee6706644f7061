/** What an expression of the language means for one event, worked out value by value: slow, and easy to check by reading. */
export type Value = string | number | boolean | null

export type Term =
  | { readonly kind: 'constant'; readonly value: Value }
  /** A property as it was sent; `type` says what it was seen to be. */
  | { readonly kind: 'property'; readonly key: string; readonly type: 'text' | 'Numeric' | 'Boolean' }
  | { readonly kind: 'arithmetic'; readonly operator: Arithmetic; readonly left: Term; readonly right: Term }
  | { readonly kind: 'minus'; readonly of: Term }
  /** a ?? b */
  | { readonly kind: 'or else'; readonly left: Term; readonly right: Term }
  /** c ? a : b, if(c, a, b), CASE WHEN c THEN a ELSE b END */
  | { readonly kind: 'choice'; readonly by: Condition; readonly yes: Term; readonly no: Term }

export const ARITHMETIC = ['+', '-', '*', '/', '%'] as const
export type Arithmetic = (typeof ARITHMETIC)[number]

export type Condition =
  | { readonly kind: 'compare'; readonly operator: string; readonly left: Term; readonly right: Term }
  | { readonly kind: 'in'; readonly not: boolean; readonly left: Term; readonly items: readonly Value[] }
  | { readonly kind: 'between'; readonly not: boolean; readonly of: Term; readonly low: number; readonly high: number }
  | { readonly kind: 'is null'; readonly not: boolean; readonly of: Term }
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly of: Condition }

export type Properties = Readonly<Record<string, Value | undefined>>

const NEGATIVE = new Set(['!=', 'NOT LIKE', 'NOT ILIKE', '!~', '!~*'])
const ORDERED = new Set(['<', '<=', '>', '>='])

export function holds(condition: Condition, event: Properties): boolean {
  switch (condition.kind) {
    case 'compare':
      return compare(condition, event)
    case 'in': {
      const { left, items, not } = condition
      const value = read(
        left,
        event,
        items.filter((item) => item !== null),
      )
      const isMissing = read(left, event, []) === null
      return items.some((item) => (item === null ? isMissing : value !== null && same(value, item))) !== not
    }
    case 'between': {
      const value = read(condition.of, event, [condition.low])
      return typeof value === 'number' && (value >= condition.low && value <= condition.high) !== condition.not
    }
    case 'is null':
      return (read(condition.of, event, []) === null) !== condition.not
    case 'and':
      return holds(condition.left, event) && holds(condition.right, event)
    case 'or':
      return holds(condition.left, event) || holds(condition.right, event)
    case 'not':
      return !holds(condition.of, event)
  }
}

/** The texts of some terms, one after the other. */
export const concatenated = (terms: readonly Term[], event: Properties): string =>
  terms.map((term) => read(term, event, []) ?? '').join('')

function compare({ operator, left, right }: Extract<Condition, { kind: 'compare' }>, event: Properties): boolean {
  const a = read(left, event, right.kind === 'constant' ? [right.value] : [])
  const b = read(right, event, left.kind === 'constant' ? [left.value] : [])
  if (a === null || b === null) {
    if (ORDERED.has(operator)) return false
    const both = a === null && b === null
    return NEGATIVE.has(operator) ? !both : both
  }
  switch (operator) {
    case '=':
      return same(a, b)
    case '!=':
      return !same(a, b)
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    case 'LIKE':
    case 'NOT LIKE':
      return like(String(b), '').test(String(a)) !== NEGATIVE.has(operator)
    case 'ILIKE':
    case 'NOT ILIKE':
      return like(String(b), 'i').test(String(a)) !== NEGATIVE.has(operator)
    default:
      return new RegExp(String(b), operator.endsWith('*') ? 'i' : '').test(String(a)) !== NEGATIVE.has(operator)
  }
}

const like = (pattern: string, flags: string) =>
  new RegExp(`^${pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]')}$`, `${flags}s`)

const same = (a: Value, b: Value) => (typeof a === typeof b ? a === b : String(a) === String(b))

/** A property next to numbers is the number in it, if there is one. */
function read(term: Term, event: Properties, beside: readonly Value[]): Value {
  switch (term.kind) {
    case 'constant':
      return term.value
    case 'arithmetic':
      return calculated(term.operator, read(term.left, event, [0]), read(term.right, event, [0]))
    case 'minus':
      return calculated('-', 0, read(term.of, event, [0]))
    case 'or else':
      return read(term.left, event, []) ?? read(term.right, event, [])
    case 'choice':
      return read(holds(term.by, event) ? term.yes : term.no, event, [])
    case 'property':
      return sentAs(term, event, beside)
  }
}

function calculated(operator: Arithmetic, a: Value, b: Value): number | null {
  if (typeof a !== 'number' || typeof b !== 'number') return null
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
  }
}

function sentAs(term: Extract<Term, { kind: 'property' }>, event: Properties, beside: readonly Value[]): Value {
  const sent = event[term.key] ?? null
  const text = sent === null ? null : String(sent)
  if (term.type === 'Boolean') return text === 'true' ? true : text === 'false' ? false : null
  const numbers = beside.length > 0 && beside.every((each) => typeof each === 'number')
  return term.type === 'Numeric' || numbers ? numberIn(text) : text
}

const numberIn = (text: string | null): number | null =>
  text !== null && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null
