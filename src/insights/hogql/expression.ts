/** Expressions of a client about the events of an insight: conditions, breakdowns, maths, items of paths. */
import type { Fragment } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { EventScope, Expressions } from '../sql/event-scope.ts'
import { aggregates } from './aggregates.ts'
import type { Expression } from './ast.ts'
import { Compiler } from './compile.ts'
import { parseExpression } from './parse.ts'
import { rowSource } from './scope.ts'
import { eventsView } from './tables.ts'
import type { PropertyTypeOf } from './view.ts'

const LONGEST_SHOWN = 200

export const expressionsOver = (propertyType: PropertyTypeOf): Expressions => ({
  value: (scope, text, attr) =>
    compiled(scope, text, attr, propertyType, (expression) => {
      if (aggregates(expression)) refuse('it sums up several events, where something of each is asked for.', text, attr)
    }),
  aggregate: (scope, text, attr) =>
    compiled(scope, text, attr, propertyType, (expression) => {
      if (!aggregates(expression)) refuse('it must sum up events, such as avg(properties.price).', text, attr)
    }),
})

function compiled(
  scope: EventScope,
  text: string,
  attr: string,
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
    // What is wrong with the text is told in the words of the language, about this text; where it stood is known only here.
    if (error instanceof ApiError && error.attr === 'query') refuse(error.message, text, attr)
    throw error
  }
}

function refuse(why: string, text: string, attr: string): never {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text
  throw new ApiError('invalid_input', `The expression ${JSON.stringify(shown)}: ${why}`, { attr })
}
