import type { Sql, TransactionSql } from '../engines/postgres/index.ts'

/**
 * The audit log: who changed access, settings or data, when and from where. Uses PostHog's activity names where they
 * exist.
 */
export interface AuditEntry {
  readonly scope:
    | 'User'
    | 'PersonalAPIKey'
    | 'WebSession'
    | 'OrganizationInvite'
    | 'OrganizationMembership'
    | 'Project'
    | 'Person'
    | 'Recording'
    | 'SharingConfiguration'
    | 'Export'
    | 'Deletion'
  readonly activity: string
  readonly organizationId?: string | null
  readonly projectId?: number | null
  readonly user?: { readonly id: number; readonly email: string } | null
  /** For a failed sign-in: the e-mail as typed. */
  readonly email?: string
  readonly via: 'session' | 'key' | 'sign-in' | 'command line' | 'service'
  readonly keyLabel?: string | null
  readonly itemId?: string | null
  readonly detail?: Readonly<Record<string, unknown>>
  readonly address?: string | null
}

type Db = Sql | TransactionSql

export async function noteAudit(sql: Db, entry: AuditEntry): Promise<void> {
  const row = {
    organization_id: entry.organizationId ?? null,
    project_id: entry.projectId ?? null,
    user_id: entry.user?.id ?? null,
    user_email: storable(entry.user?.email ?? entry.email ?? null),
    via: entry.via,
    key_label: storable(entry.keyLabel ?? null),
    scope: entry.scope,
    activity: entry.activity,
    item_id: storable(entry.itemId ?? null),
    detail: sql.json((entry.detail ?? {}) as never),
    address: entry.address ?? null,
  }
  await sql`INSERT INTO audit_log ${sql(row)}`
}

/** Postgres stores no zero characters, and long texts are cut. */
const storable = (text: string | null): string | null => text?.replaceAll('\0', '').toWellFormed().slice(0, 400) ?? null

export interface AuditRow {
  readonly id: number
  readonly user_email: string | null
  readonly user_id: number | null
  readonly first_name: string | null
  readonly via: AuditEntry['via']
  readonly key_label: string | null
  readonly scope: string
  readonly activity: string
  readonly item_id: string | null
  readonly project_id: number | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly address: string | null
  readonly created_at: Date
}

interface AuditQuestion {
  readonly organizationId: string
  /** Also entries without organisation and member: sign-ins with unknown e-mails. */
  readonly withStrangers: boolean
  readonly scope?: string | undefined
  readonly activity?: string | undefined
  readonly userId?: number | undefined
  readonly after?: Date | undefined
  readonly before?: Date | undefined
}

/** Newest first. Entries about a user's own account have no organisation: those of members are included. */
export async function readAudit(
  sql: Sql,
  question: AuditQuestion,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ count: number; rows: AuditRow[] }> {
  const { organizationId, scope, activity, userId, after, before } = question
  const where = sql`
    (a.organization_id = ${organizationId}
      OR a.organization_id IS NULL AND a.user_id IN (SELECT user_id FROM organization_members WHERE organization_id = ${organizationId})
      ${question.withStrangers ? sql`OR a.organization_id IS NULL AND a.user_id IS NULL` : sql``})
    ${scope === undefined ? sql`` : sql`AND a.scope = ${scope}`}
    ${activity === undefined ? sql`` : sql`AND a.activity = ${activity}`}
    ${userId === undefined ? sql`` : sql`AND a.user_id = ${userId}`}
    ${after === undefined ? sql`` : sql`AND a.created_at >= ${after}`}
    ${before === undefined ? sql`` : sql`AND a.created_at < ${before}`}`
  const [counted] = await sql<[{ count: number }]>`SELECT count(*) AS count FROM audit_log a WHERE ${where}`
  const rows = await sql<AuditRow[]>`
    SELECT a.*, u.first_name FROM audit_log a LEFT JOIN users u ON u.id = a.user_id
    WHERE ${where} ORDER BY a.id DESC LIMIT ${limit} OFFSET ${offset}`
  return { count: counted.count, rows: [...rows] }
}

/** A year; a month for failed sign-ins, because anyone can cause them. */
export async function forgetOldAudit(sql: Sql): Promise<void> {
  await sql`
    DELETE FROM audit_log WHERE created_at < now() - interval '1 year'
      OR activity = 'sign_in_failed' AND created_at < now() - interval '30 days'`
}
