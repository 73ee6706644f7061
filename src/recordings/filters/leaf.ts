import { type PropertyFilter, readProperties, rememberPlace, rememberPlaces } from '../../contract/queries/index.ts'
import { type Path, refuse } from '../../lib/invalid-input.ts'
import { asText, isObject } from '../../lib/json.ts'
import { SESSION_COLUMNS, type SessionColumn } from '../find/session-columns.ts'
import type { Criterion, Predicate } from './question.ts'

/** One leaf of the filters: something that happened, or something about the recording itself. */
export type Leaf = { readonly criterion: Criterion } | { readonly predicate: Predicate }

export function readLeaf(given: unknown, path: Path): Leaf[] {
  if (!isObject(given)) return refuse('A filter is an object with a type and a key or an id.', path)
  switch (given.type) {
    case 'events':
      return [readEvent(given, path)]
    case 'actions':
      return [readAction(given, path)]
    case 'log_entry':
      return one(readFilter(given, path), (filter) => readConsole(filter, path))
    case 'recording':
      return one(readFilter(given, path), (filter) => readRecording(filter, path))
    default:
      return one(readFilter(given, path, true), (filter) => ({ criterion: { kind: 'property', filter } }))
  }
}

const one = (filter: PropertyFilter | undefined, make: (filter: PropertyFilter) => Leaf): Leaf[] =>
  filter === undefined ? [] : [make(filter)]

export function readEvent(
  given: Record<string, unknown>,
  path: Path,
): { criterion: Extract<Criterion, { kind: 'event' }> } {
  const name = given.name ?? given.id
  const properties = readProperties(given.properties, (message, inside) =>
    refuse(message, [...path, 'properties', ...inside]),
  )
  rememberPlaces(properties, [...path, 'properties'])
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
export function readAction(given: Record<string, unknown>, path: Path): Leaf {
  const { criterion } = readEvent({ ...given, id: null }, path)
  const action = asText(given.id ?? '')
  return /^\d+$/.test(action)
    ? { criterion: { ...criterion, action } }
    : refuse('An action is meant by its id: a number.', path)
}

/** Key, operator and values are read as those of a property are; what the key means is decided above. */
function readFilter(given: Record<string, unknown>, path: Path, ownType = false): PropertyFilter | undefined {
  const item = ownType ? given : { ...given, type: 'event' }
  const group = readProperties([item], (message, inside) => refuse(message, [...path, ...inside.slice(1)]))
  const [filter] = group.values
  return filter?.kind === 'property' ? rememberPlace(filter, path) : undefined
}

function readConsole(filter: PropertyFilter, path: Path): Leaf {
  if (filter.key !== 'level' && filter.key !== 'message')
    return refuse('A console filter is about "level" or "message".', path)
  if (filter.key === 'message') return { criterion: { kind: 'console', about: 'message', filter } }
  // In a browser's console, info and log are the same level.
  const values = filter.values.map((value) => (value === 'info' ? 'log' : value))
  return { criterion: { kind: 'console', about: 'level', filter: { ...filter, values } } }
}

const ALIASES: Readonly<Record<string, SessionColumn>> = { duration: 'recording_duration' }

function readRecording(filter: PropertyFilter, path: Path): Leaf {
  if (filter.key === 'visited_page') return { criterion: { kind: 'page', filter } }
  if (filter.key === 'comment_text') return refuse('Recordings have no comments here.', path)
  return { predicate: { column: columnOf(filter.key, path), filter } }
}

export function columnOf(key: string, path: Path): SessionColumn {
  const column = (Object.hasOwn(ALIASES, key) && ALIASES[key]) || SESSION_COLUMNS.find((known) => known === key)
  return column ?? refuse(`Recordings know no "${key}". Use one of duration, ${SESSION_COLUMNS.join(', ')}.`, path)
}
