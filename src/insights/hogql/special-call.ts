import type { Fragment } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'

/** A call as it was written, and how its arguments are written for the engine. */
export interface SpecialCall {
  readonly name: string
  readonly args: readonly Expression[]
  readonly timezone: string
  value(expression: Expression): Fragment
}

/** Undefined leaves a call to the engine's own function. */
export type Writer = (call: SpecialCall) => Fragment | undefined

/** The arguments of a call that takes `least` to `most` of them. */
export function valuesOf({ name, args, value }: SpecialCall, least: number, most = least): Fragment[] {
  if (args.length < least || args.length > most)
    throw sqlError(`${name} takes ${least === most ? least : `${least} to ${most}`} argument${most === 1 ? '' : 's'}.`)
  return args.map(value)
}
