import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/** Flags of every command that calls the service. */
export const CLIENT_FLAGS = { data: { type: 'string' }, json: { type: 'boolean' } } as const

export function readArguments<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export function needed(value: string | undefined, flag: string): string {
  if (value === undefined || value === '') throw new UsageError(`${flag} is needed`)
  return value
}

/** The id of a project, if given. */
export function projectNumber(value: string | undefined): number | undefined {
  if (value !== undefined && !/^\d+$/.test(value)) throw new UsageError('--project takes the number of a project')
  return value === undefined ? undefined : Number(value)
}
