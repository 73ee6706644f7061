import { type AuditEntry, type Caller, noteAudit, type Project } from '../../accounts/index.ts'
import { addressOf } from './client-address.ts'
import type { ApiContext, PublicCall } from './context.ts'

/** What an endpoint says of a request that succeeded; who, when and from where are added here. */
export type AuditNote = Pick<AuditEntry, 'scope' | 'activity' | 'itemId' | 'detail' | 'organizationId'>

interface Audited extends Pick<ApiContext, 'sql'> {
  readonly request: PublicCall['request']
  readonly caller: Caller
  readonly project?: Project
}

/** Written before the answer is sent: what was answered with success is in the log. */
export async function auditCall({ sql, request, caller, project }: Audited, note: AuditNote): Promise<void> {
  await noteAudit(sql, {
    ...note,
    organizationId: note.organizationId ?? project?.organization_id ?? null,
    projectId: project?.id ?? null,
    user: caller.user,
    via: caller.key === null ? 'session' : 'key',
    keyLabel: caller.key?.label ?? null,
    address: addressOf(request),
  })
}
