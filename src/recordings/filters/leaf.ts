import { type PropertyFilter, readProperties, rememberPlace, rememberPlaces } from '../../contract/queries/index.ts'
import { ApiError } from '../../http/errors.ts'
import { isObject } from '../../lib/json.ts'
import { SESSION_COLUMNS, type SessionColumn } from '../read/session-columns.ts'
import type { Criterion, Predicate } from './question.ts'

/** One leaf of the filters: something that happened, or something about the recording itself. */
export type Leaf = { readonly criterion: Criterion } | { readonly predicate: Predicate }

const refuse = (message: string, attr: string): never => {
  throw new ApiError('invalid_input', message, { attr })
}

export function readLeaf(given: unknown, attr: string): Leaf[] {
  if (!isObject(given)) return refuse('A filter is an object with a type and a key or an id.', attr)
  switch (given.type) {
    case 'events':
      return [readEvent(given, attr)]
    case 'actions':
      return [readAction(given, attr)]
    case 'log_entry':
      return one(readFilter(given, attr), (filter) => readConsole(filter, attr))
    case 'recording':
      return one(readFilter(given, attr), (filter) => readRecording(filter, attr))
    default:
      return one(readFilter(given, attr, true), (filter) => ({ criterion: { kind: 'property', filter } }))
  }
}

const one = (filter: PropertyFilter | undefined, make: (filter: PropertyFilter) => Leaf): Leaf[] =>
  filter === undefined ? [] : [make(filter)]

export function readEvent(
  given: Record<string, unknown>,
  attr: string,
): { criterion: Extract<Criterion, { kind: 'event' }> } {
  const name = given.name ?? given.id
  const properties = readProperties(given.properties, (message, path) =>
    refuse(message, [attr, 'properties', ...path].join('__')),
  )
  rememberPlaces(properties, [...attr.split('__'), 'properties'])
  const event = typeof given.id === 'string' && given.id !== '' ? given.id : given.id === null ? undefined : name
  return {
    criterion: {
      kind: 'event',
      negated: given.negation === true,
      event: typeof event === 'string' && event !== '' ? event : undefined,
      properties,
    },
  }
}

/** The same of an action, which is meant by its id. */
export function readAction(given: Record<string, unknown>, attr: string): Leaf {
  const { criterion } = readEvent({ ...given, id: null }, attr)
  const action = String(given.id ?? '')
  return /^\d+$/.test(action)
    ? { criterion: { ...criterion, action } }
    : refuse('An action is meant by its id: a number.', attr)
}

/** Key, operator and values are read as those of a property are; what the key means is decided above. */
function readFilter(given: Record<string, unknown>, attr: string, ownType = false): PropertyFilter | undefined {
  const item = ownType ? given : { ...given, type: 'event' }
  const group = readProperties([item], (message, path) => refuse(message, [attr, ...path.slice(1)].join('__')))
  const [filter] = group.values
  return filter?.kind === 'property' ? rememberPlace(filter, attr.split('__')) : undefined
}

function readConsole(filter: PropertyFilter, attr: string): Leaf {
  if (filter.key !== 'level' && filter.key !== 'message')
    return refuse('A console filter is about "level" or "message".', attr)
  if (filter.key === 'message') return { criterion: { kind: 'console', about: 'message', filter } }
  // In a browser's console, info and log are the same level.
  const values = filter.values.map((value) => (value === 'info' ? 'log' : value))
  return { criterion: { kind: 'console', about: 'level', filter: { ...filter, values } } }
}

const ALIASES: Readonly<Record<string, SessionColumn>> = { duration: 'recording_duration' }

function readRecording(filter: PropertyFilter, attr: string): Leaf {
  if (filter.key === 'visited_page') return { criterion: { kind: 'page', filter } }
  if (filter.key === 'comment_text') return refuse('Recordings have no comments here.', attr)
  return { predicate: { column: columnOf(filter.key, attr), filter } }
}

export function columnOf(key: string, attr: string): SessionColumn {
  const column = (Object.hasOwn(ALIASES, key) && ALIASES[key]) || SESSION_COLUMNS.find((known) => known === key)
  return column ?? refuse(`Recordings know no "${key}". Use one of duration, ${SESSION_COLUMNS.join(', ')}.`, attr)
}
