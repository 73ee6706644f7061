import type { Expression } from './ast.ts'
import { isAggregate } from './functions.ts'

/** Whether an expression sums up several rows, so that the others have to be grouped by. */
export function aggregates(expression: Expression): boolean {
  switch (expression.kind) {
    case 'call':
      return (isAggregate(expression.name) && expression.over === null) || expression.args.some(aggregates)
    case 'operator':
      return aggregates(expression.left) || aggregates(expression.right)
    case 'in':
    case 'in cohort':
      return aggregates(expression.left)
    case 'not':
    case 'minus':
    case 'is null':
      return aggregates(expression.of)
    case 'between':
      return [expression.of, expression.low, expression.high].some(aggregates)
    case 'tuple':
    case 'array':
      return expression.items.some(aggregates)
    case 'index':
    case 'element':
    case 'slice':
    case 'alias':
      return aggregates(expression.of)
    case 'lambda':
      return aggregates(expression.body)
    default:
      return false
  }
}
