import { type AuditRow, isInstanceAdmin, readAudit } from '../../accounts/index.ts'
import { pageOf } from '../../contract/envelopes.ts'
import { auditEntrySchema, auditQuerySchema } from '../../contract/resources/audit-entry.ts'
import { ApiError } from '../../http/errors.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'
import { organizationOf } from './organizations.ts'

/** Who did what about access, settings and data: for admins. */
export function addAuditLogRoutes(routes: ApiRoutes): void {
  routes.add('/api/organizations/:organization_id/audit_log/', {
    GET: endpoint({
      summary: 'Sign-ins, keys, members, settings, exports, shares and deletions, newest first; also as CSV',
      scope: 'activity_log:read',
      query: auditQuerySchema,
      answer: pageOf(auditEntrySchema),
      csv: true,
      handle: async (call) => {
        const { sql, caller, query, url } = call
        const organization = await organizationOf(call)
        if (organization.level === 'member')
          throw new ApiError('permission_denied', 'Only admins and owners may read the audit log.')
        const { scope, activity, user, after, before } = query
        const question = { organizationId: organization.id, scope, activity, userId: user, after, before }
        const withStrangers = await isInstanceAdmin(sql, caller.user.id)
        const { count, rows } = await readAudit(sql, { ...question, withStrangers }, query)
        return envelope(url, query, count, rows.map(auditRecord))
      },
    }),
  })
}

const auditRecord = (row: AuditRow) => ({
  id: row.id,
  created_at: row.created_at,
  activity: row.activity,
  scope: row.scope,
  item_id: row.item_id,
  user: row.user_email === null ? null : { id: row.user_id, email: row.user_email, first_name: row.first_name ?? '' },
  via: row.via,
  key: row.key_label,
  address: row.address,
  project_id: row.project_id,
  detail: row.detail,
})
