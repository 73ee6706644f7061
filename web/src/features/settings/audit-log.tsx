import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditEntry, Page } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dateTime, number } from '../../lib/format.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { auditDetail, auditWords } from './audit-words.ts'

const AUDIT = '/api/organizations/@current/audit_log/'
const PAGE = 50

const SCOPES = [
  { value: '', label: 'Everything' },
  { value: 'User', label: 'Sign-ins and accounts' },
  { value: 'WebSession', label: 'Sessions' },
  { value: 'PersonalAPIKey', label: 'Personal API keys' },
  { value: 'OrganizationMembership', label: 'Members' },
  { value: 'OrganizationInvite', label: 'Invitations' },
  { value: 'Project', label: 'Project settings' },
  { value: 'Export', label: 'Exports' },
  { value: 'SharingConfiguration', label: 'Public links' },
  { value: 'Person', label: 'Deleted persons' },
  { value: 'Recording', label: 'Deleted recordings' },
]

/** Who did what about access, settings and data, when and from where. For admins. */
export function AuditLogSettings() {
  const { timezone } = useProject()
  const [scope, setScope] = useState('')
  const [offset, setOffset] = useState(0)
  const query = { limit: PAGE, offset, scope: scope || undefined }
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['audit-log', scope, offset],
    queryFn: ({ signal }) => ask<Page<AuditEntry>>(AUDIT, { query, signal }),
    placeholderData: (before) => before,
  })
  const file = `${AUDIT}?format=csv&limit=1000${scope === '' ? '' : `&scope=${scope}`}`
  return (
    <Card
      flush
      title="Audit log"
      action={
        <span className="row">
          <Select
            label="What to show"
            value={scope}
            options={SCOPES}
            onChange={(event) => {
              setScope(event.target.value)
              setOffset(0)
            }}
          />
          <a className="button" href={file} download>
            CSV
          </a>
        </span>
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={8} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="key" title="No entries yet">
          Sign-ins, keys, members, settings, exports, public links and deletions are listed here for a year.
        </EmptyState>
      ) : (
        <>
          <Table label="Audit log" columns={columns(timezone)} rows={data.results} rowKey={({ id }) => String(id)} />
          {data.count > PAGE && (
            <div className="row-wrap" style={{ padding: 12 }}>
              <Button disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                Newer
              </Button>
              <Button disabled={data.next === null} onClick={() => setOffset(offset + PAGE)}>
                Older
              </Button>
              <span className="small soft">
                {number(offset + 1)} to {number(offset + data.results.length)} of {number(data.count)}
              </span>
            </div>
          )}
        </>
      )}
    </Card>
  )
}

const columns = (zone: string): Column<AuditEntry>[] => [
  { id: 'when', header: 'When', width: '180px', cell: ({ created_at }) => dateTime(created_at, zone) },
  {
    id: 'what',
    header: 'What',
    cell: (entry) => (
      <span className="truncate" title={`${entry.user?.email ?? ''} ${auditDetail(entry)}`.trim()}>
        <span className="strong">{whoOf(entry)}</span> {auditWords(entry)}{' '}
        <span className="soft">{auditDetail(entry)}</span>
      </span>
    ),
  },
  {
    id: 'where',
    header: 'From',
    width: '150px',
    spare: true,
    cell: ({ address, key }) => (
      <span className="truncate soft" title={key ? `with the key "${key}"` : undefined}>
        {address ?? '–'}
        {key && `, key ${key}`}
      </span>
    ),
  },
]

const whoOf = ({ user, via }: AuditEntry): string =>
  user ? user.first_name || user.email : via === 'command line' ? 'The command line' : 'Someone'
