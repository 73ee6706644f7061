import { isFields } from '../../contract/queries/index.ts'
import { numberFrom } from '../../lib/json.ts'
import type { Definitions } from './definitions.ts'

/**
 * A question whose series about actions know what the actions are, and what they are called. A series about none stays
 * as it is.
 */
export const withActions = <T>(question: T, { actions }: Definitions): T =>
  actions.size === 0 ? question : (filled(question, actions) as T)

function filled(value: unknown, actions: Definitions['actions']): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, actions))
  if (!isFields(value)) return value
  const fields = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, actions)]))
  if (value.kind !== 'ActionsNode' && value.type !== 'actions') return fields
  const action = actions.get(numberFrom(value.id))
  return action === undefined
    ? fields
    : { ...fields, nodes: action.nodes, name: value.name ?? action.name ?? undefined }
}
