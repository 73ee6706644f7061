import { type Fragment, Param, sql, str } from '../../engines/clickhouse-sql.ts'
import type { Field, ViewContext } from './view.ts'

/** A property is a text, read as what it was seen to be; a path into it reads the document it holds. */
export function property(
  of: 'event' | 'person' | 'group',
  text: Fragment,
  key: string,
  path: readonly string[],
  context: ViewContext,
): Field {
  if (path.length > 0) return inDocument(sql`ifNull(${text}, '')`, path)
  const readAs = (value: Fragment): Field => ({ value, kind: 'other', text: () => text })
  switch (context.propertyType(of, key)) {
    case 'Numeric':
      return readAs(sql`toFloat64OrNull(${text})`)
    case 'Boolean':
      return readAs(sql`transform(${text}, ['true', 'false'], [true, false], NULL)`)
    case 'DateTime':
      return readAs(sql`parseDateTime64BestEffortOrNull(${text}, 6, ${str(context.timezone)})`)
    default:
      return { value: text, kind: 'property' }
  }
}

/** One value inside a document, as the text people see. */
export function inDocument(document: Fragment, path: readonly (string | number)[]): Field {
  const steps = path.reduce<Fragment>(
    (all, step) => sql`${all}, ${typeof step === 'number' ? new Param('Int64', step) : str(step)}`,
    sql``,
  )
  return {
    kind: 'property',
    value: sql`if(JSONType(${document}${steps}) = 'String', JSONExtractString(${document}${steps}), nullIf(nullIf(JSONExtractRaw(${document}${steps}), ''), 'null'))`,
  }
}
