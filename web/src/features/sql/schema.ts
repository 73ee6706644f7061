/** What queries may read, as the service tells it. */
import { useQuery } from '@tanstack/react-query'
import type { DatabaseTable } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { propertyDefinitions } from '../../api/queries.ts'

const FRESH_MS = 5 * 60_000
const MOST_PROPERTIES = 100

export type PropertyOwner = 'event' | 'person' | 'group'

export interface SchemaField {
  /** As it is written in a query. */
  readonly path: string
  readonly name: string
  readonly type: string
  readonly sample: string | null
  readonly words: string
  /** Whose properties it holds. */
  readonly properties: PropertyOwner | null
}

export interface SchemaTable {
  readonly name: string
  readonly words: string
  readonly fields: readonly SchemaField[]
}

export function useSchema() {
  const project = useProject()
  return useQuery({
    queryKey: ['sql-schema', project.id],
    queryFn: async ({ signal }) => {
      const body = { query: { kind: 'DatabaseSchemaQuery' } }
      const { tables } = await ask<{ tables: Record<string, DatabaseTable> }>(inProject(project.id, 'query/'), {
        body,
        signal,
      })
      return Object.values(tables).map(tableOf)
    },
    staleTime: FRESH_MS,
  })
}

const tableOf = ({ name, description, fields }: DatabaseTable): SchemaTable => ({
  name,
  words: description,
  fields: Object.values(fields).map((field) => ({
    path: field.name,
    name: field.name,
    type: field.type,
    sample: field.sample,
    words: field.description,
    properties: field.properties,
  })),
})

/** The properties of events, persons or groups, with their types and a value that was sent. */
export function useProperties(owner: PropertyOwner, { search, enabled }: { search?: string; enabled: boolean }) {
  const project = useProject()
  const { data } = useQuery({
    ...propertyDefinitions(project.id, {
      type: owner,
      limit: MOST_PROPERTIES,
      exclude_hidden: true,
      ...(search ? { search } : {}),
    }),
    enabled,
    staleTime: 60_000,
  })
  const { data: samples } = useQuery({
    queryKey: ['sql-samples', project.id, owner],
    queryFn: ({ signal }) => samplesOf(project.id, owner, signal),
    enabled,
    staleTime: FRESH_MS,
    retry: false,
  })
  return data?.results.map(({ name, property_type }) => ({
    name,
    type: (property_type ?? 'String').toLowerCase(),
    sample: samples?.get(name) ?? null,
  }))
}

const DOCUMENTS: Record<PropertyOwner, string> = {
  event: 'select properties from events where timestamp > now() - interval 30 day limit 50',
  person: 'select properties from persons limit 50',
  group: 'select properties from groups limit 50',
}
const LONGEST_SAMPLE = 100

async function samplesOf(project: number, owner: PropertyOwner, signal: AbortSignal): Promise<Map<string, string>> {
  const body = { query: { kind: 'HogQLQuery', query: DOCUMENTS[owner] } }
  const { results } = await ask<{ results: unknown[][] }>(inProject(project, 'query/'), { body, signal })
  const found = new Map<string, string>()
  for (const [document] of results)
    for (const [name, value] of Object.entries(JSON.parse(String(document ?? '{}')) as Record<string, unknown>)) {
      const said = typeof value === 'string' ? value : JSON.stringify(value)
      if (!found.has(name) && said !== '' && said !== 'null') found.set(name, said.slice(0, LONGEST_SAMPLE))
    }
  return found
}

const PLAIN = /^[A-Za-z_$][\w$]*$/

/** Names with a blank or a hyphen need quotes. */
export const propertyPath = (prefix: string, name: string): string =>
  `${prefix}.${PLAIN.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``}`

/** For completion: tables, their fields, and the properties in them, one inside the other. */
export interface Names {
  [name: string]: Names
}

export function namesOf(
  tables: readonly SchemaTable[],
  properties: Readonly<Partial<Record<PropertyOwner, readonly string[]>>>,
): Names {
  const names: Names = {}
  for (const { name: table, fields } of tables)
    for (const { path, properties: owner } of fields) {
      let at = names
      for (const part of [...table.split('.'), ...path.split('.')]) {
        at[part] ??= {}
        at = at[part]
      }
      for (const name of (owner && properties[owner]) ?? []) at[name] ??= {}
    }
  return names
}
