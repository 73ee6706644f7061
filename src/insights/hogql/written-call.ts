import type { Call, Expression, Place } from './ast.ts'

/** A call of a plain function, as the grammar makes it of other forms. */
export const call = (name: string, args: readonly Expression[], place?: Place): Call => ({
  kind: 'call',
  name,
  parameters: null,
  distinct: false,
  args,
  over: null,
  place,
})
