import type { Sql } from '../../engines/postgres/index.ts'

/** Notes that users add to a definition: a description, whether it is verified, whether pickers hide it. */
export interface Notes {
  readonly description: string
  readonly tags: readonly string[]
  /** Hidden in pickers. It is still counted. */
  readonly hidden: boolean
  /** A user has confirmed that it can be trusted. */
  readonly verified: boolean
  readonly verifiedAt: Date | null
  readonly verifiedBy: number | null
  readonly updatedAt: Date | null
  readonly updatedBy: number | null
}

export const noteColumns = (sql: Sql) => sql`
  description, tags, hidden, verified, verified_at AS "verifiedAt", verified_by AS "verifiedBy", updated_at AS "updatedAt",
  updated_by AS "updatedBy"`

interface NoteChanges {
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly hidden?: boolean | undefined
  readonly verified?: boolean | undefined
  /** For a property: its type, when the first value seen was misleading. */
  readonly property_type?: string | null | undefined
}

/** Changes the given fields only. Returns whether there is such a definition. */
export async function changeNotes(
  sql: Sql,
  table: 'event_definitions' | 'property_definitions',
  { project, id, by }: { readonly project: number; readonly id: string; readonly by: number },
  { verified, ...changes }: NoteChanges,
): Promise<boolean> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  // Verifying again does not change who verified it first.
  const trust =
    verified === undefined
      ? sql``
      : verified
        ? sql`, verified = true, verified_at = coalesce(verified_at, now()), verified_by = coalesce(verified_by, ${by})`
        : sql`, verified = false, verified_at = NULL, verified_by = NULL`
  const { count } = await sql`
    UPDATE ${sql(table)} SET ${sql({ ...given, updated_by: by })}, updated_at = now() ${trust}
    WHERE project_id = ${project} AND id = ${id}::uuid`
  return count > 0
}
