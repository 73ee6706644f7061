import { expressionsOver } from '../hogql/expression.ts'
import type { Conversation } from '../run/statement-runner.ts'
import type { Expressions } from '../sql/event-scope.ts'
import type { InsightContext } from './context.ts'

/** How the expressions in a question are read. What properties were seen to be is looked up only when there may be one. */
export async function openExpressions(
  asked: unknown,
  context: InsightContext,
  conversation: Conversation,
): Promise<Expressions> {
  if (!/hogql/i.test(JSON.stringify(asked))) return expressionsOver(() => null)
  conversation.admitExpressions()
  return expressionsOver((await context.propertyTypes?.()) ?? (() => null))
}
