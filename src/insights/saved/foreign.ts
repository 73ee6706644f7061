/**
 * Insights as an API answered them, here or elsewhere, to be kept in a project. The short id is kept: by it the same
 * insight is found again.
 */
import { decoded } from '../../contract/queries/index.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { isObject, type Json } from '../../lib/json.ts'
import { createInsight, type InsightFields } from './insight.ts'

export interface ForeignInsight {
  readonly shortId: string | null
  readonly createdAt: Date | null
  readonly fields: InsightFields
}

const SHORT_ID = /^[A-Za-z0-9_-]{4,12}$/
const LONGEST_NAME = 400
const LONGEST_TAG = 255

/** Undefined when it is no insight. What only an answer has (numbers, people, dates of changes) is left out. */
export function foreignInsight(given: unknown): ForeignInsight | undefined {
  if (!isObject(given)) return undefined
  const query = documentIn(given.query)
  const filters = documentIn(given.filters)
  if (query === null && filters === null) return undefined
  const at = typeof given.created_at === 'string' ? new Date(given.created_at) : null
  return {
    shortId: typeof given.short_id === 'string' && SHORT_ID.test(given.short_id) ? given.short_id : null,
    createdAt: at && !Number.isNaN(at.getTime()) ? at : null,
    fields: {
      name: textIn(given.name, LONGEST_NAME),
      derived_name: textIn(given.derived_name, LONGEST_NAME),
      description: textIn(given.description),
      query,
      filters: filters ?? {},
      favorited: given.favorited === true,
      saved: given.saved !== false,
      tags: tagsIn(given.tags),
    },
  }
}

/** An object, or its JSON text. */
function documentIn(given: unknown): Json {
  const value = decoded(given)
  return isObject(value) && Object.keys(value).length > 0 ? value : null
}

export const textIn = (given: unknown, longest = 10_000): string | null =>
  typeof given === 'string' ? given.replaceAll('\0', '').slice(0, longest) : null

export const tagsIn = (given: unknown): string[] =>
  Array.isArray(given)
    ? given.filter((tag) => typeof tag === 'string' && tag !== '').map((tag) => String(tag).slice(0, LONGEST_TAG))
    : []

/** `known`: it was there already, and stays as it is. */
export async function keepForeignInsight(
  sql: Sql | TransactionSql,
  project: number,
  userId: number,
  { shortId, createdAt, fields }: ForeignInsight,
): Promise<{ readonly id: number; readonly known: boolean }> {
  const [found] =
    shortId === null
      ? []
      : await sql<{ id: number }[]>`SELECT id FROM insights WHERE project_id = ${project} AND short_id = ${shortId}`
  if (found) return { id: found.id, known: true }
  const { id } = await createInsight(sql, project, userId, fields, { shortId, createdAt })
  return { id, known: false }
}
