/** What the two sides of a comparison mean to each other: a property is a text that may hold something else. */
import { type Fragment, sql, str } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import type { Side } from './comparisons.ts'
import type { Field } from './view.ts'

interface Written {
  readonly written: Expression
  readonly field: Field
}

const OF_TEXTS = /LIKE|~/

export function comparedSides(operator: string, [left, right]: readonly [Written, Written]): readonly [Side, Side] {
  return [sideOf(operator, left, right), sideOf(operator, right, left)]
}

function sideOf(operator: string, { written, field }: Written, other: Written): Side {
  const isNull = written.kind === 'word' && written.value === 'NULL'
  return { value: read(operator, written, field, other), nullable: field.nullable !== false, isNull }
}

function read(operator: string, written: Expression, field: Field, other: Written): Fragment {
  if (OF_TEXTS.test(operator)) return field.text?.() ?? field.value
  if (field.kind === 'property' && isNumeric(other.written)) return numberOf(field)
  if (written.kind === 'word' && other.field.kind === 'property' && written.value !== 'NULL')
    return sql`${str(written.value)}`
  if (field.text && other.written.kind === 'string' && !isReadable(other.written.value)) return field.text()
  return field.value
}

/** Whether the engine can read a text as a number, a boolean or a time, whichever the other side is. */
const isReadable = (text: string): boolean =>
  text.trim() !== '' &&
  (Number.isFinite(Number(text)) || /^(?:true|false)$/i.test(text) || !Number.isNaN(Date.parse(text)))

/** The number in a property; everything else as it is. */
export const numberOf = ({ kind, value }: Field): Fragment =>
  kind === 'property' ? sql`toFloat64OrNull(${value})` : value

const NUMBERS = new Set(['+', '-', '*', '/', '%'])

export const isNumeric = (expression: Expression): boolean =>
  expression.kind === 'number' ||
  (expression.kind === 'minus' && isNumeric(expression.of)) ||
  (expression.kind === 'operator' &&
    NUMBERS.has(expression.operator) &&
    isNumeric(expression.left) &&
    isNumeric(expression.right))
