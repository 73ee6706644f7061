/** Expressions of a client about the events of an insight: conditions, breakdowns, maths, items of paths. */
import type { Fragment } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import type { EventScope, Expressions } from '../sql/event-scope.ts'
import { aggregates } from './aggregates.ts'
import type { Expression } from './ast.ts'
import { Compiler } from './compile.ts'
import { isAboutSql } from './error.ts'
import { parseExpression } from './parse.ts'
import { rowSource } from './scope.ts'
import { eventsView } from './tables.ts'
import type { PropertyTypeOf } from './view.ts'

const LONGEST_SHOWN = 200

export const expressionsOver = (propertyType: PropertyTypeOf): Expressions => ({
  value: (scope, text, path) =>
    compiled(scope, text, path, propertyType, (expression) => {
      if (aggregates(expression))
        refuseExpression('it sums up several events, where something of each is asked for.', text, path)
    }),
  aggregate: (scope, text, path) =>
    compiled(scope, text, path, propertyType, (expression) => {
      if (!aggregates(expression)) refuseExpression('it must sum up events, such as avg(properties.price).', text, path)
    }),
})

function compiled(
  scope: EventScope,
  text: string,
  path: Path,
  propertyType: PropertyTypeOf,
  check: (expression: Expression) => void,
): Fragment {
  const context = { ...scope.context, propertyType }
  const events = rowSource(eventsView(scope, context), 'events')
  try {
    const expression = parseExpression(text)
    check(expression)
    return new Compiler(context, null).expression(expression, events)
  } catch (error) {
    // What is wrong with the text is told in the words of the language, about this text; where it stood is known only
    // here.
    if (error instanceof InvalidQuery && isAboutSql(error)) refuseExpression(error.message, text, path)
    throw error
  }
}

function refuseExpression(why: string, text: string, path: Path): never {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text
  throw new InvalidQuery(`The expression ${JSON.stringify(shown)}: ${why}`, path)
}
