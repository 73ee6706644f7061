import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { PersonalKey } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { personalKeys } from '../../api/queries.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { ago, dayOnly, plural } from '../../lib/format.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Badge, Button, Checkbox, IconButton, Segmented, Select, TextField } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'

const OBJECTS = [
  'person',
  'insight',
  'query',
  'dashboard',
  'session_recording',
  'session_recording_playlist',
  'sharing_configuration',
  'event_definition',
  'property_definition',
  'group',
  'project',
  'organization',
  'organization_member',
  'activity_log',
  'user',
] as const
type Access = 'none' | 'read' | 'write'

export function KeySettings() {
  const { data, error, isPending, refetch } = useQuery(personalKeys())
  const client = useQueryClient()
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<PersonalKey | null>(null)
  const [doomed, setDoomed] = useState<{ id: string; label: string } | null>(null)
  const remove = useMutation({
    mutationFn: (id: string) => ask(`/api/personal_api_keys/${id}/`, { method: 'DELETE' }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['personal-keys'] })
      setDoomed(null)
      say('The key no longer works')
    },
    onError: sayFailure,
  })
  const columns: Column<PersonalKey>[] = [
    { id: 'label', header: 'Key', cell: ({ label }) => <span className="strong">{label}</span> },
    {
      id: 'mask',
      header: 'Ends in',
      spare: true,
      cell: ({ mask_value }) => <span className="mono tiny soft">{mask_value}</span>,
    },
    { id: 'scopes', header: 'Scopes', cell: ({ scopes }) => <ScopeText scopes={scopes} /> },
    {
      id: 'used',
      header: 'Last used',
      spare: true,
      cell: ({ last_used_at }) => (last_used_at ? ago(last_used_at) : 'never'),
    },
    { id: 'ends', header: 'Expires', spare: true, cell: (key) => <Bounds bounds={key} /> },
    {
      id: 'remove',
      header: <span className="unseen">Delete</span>,
      align: 'right',
      cell: ({ id, label }) => (
        <IconButton label={`Delete ${label}`} icon="trash" small onClick={() => setDoomed({ id, label })} />
      ),
    },
  ]
  return (
    <>
      <Card
        flush
        title="Personal API keys"
        action={
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            New key
          </Button>
        }
      >
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={3} />
        ) : data.length === 0 ? (
          <EmptyState icon="key" title="No keys">
            A personal API key lets scripts act with your permissions.
          </EmptyState>
        ) : (
          <Table label="Personal API keys" columns={columns} rows={data} rowKey={({ id }) => id} />
        )}
      </Card>
      {making && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setMade(key)
            void client.invalidateQueries({ queryKey: ['personal-keys'] })
          }}
        />
      )}
      {doomed && (
        <Dialog title={`Delete the key "${doomed.label}"?`} onClose={() => setDoomed(null)}>
          <p className="small soft">Anything that uses this key will stop working. This cannot be undone.</p>
          <DialogActions>
            <Button onClick={() => setDoomed(null)}>Cancel</Button>
            <Button kind="danger" icon="trash" onClick={() => remove.mutate(doomed.id)} busy={remove.isPending}>
              Delete key
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {made?.value && (
        <Dialog title={`Your key "${made.label}"`} onClose={() => setMade(null)}>
          <div className="once">
            <p className="small strong">Copy it now. It is shown only once.</p>
            <CodeBlock label="Personal API key" code={made.value} />
          </div>
          <DialogActions>
            <Button kind="primary" onClick={() => setMade(null)}>
              Done
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  )
}

/** Until when, and from where. */
function Bounds({ bounds: { expires_at, allowed_addresses = [] } }: { bounds: PersonalKey }) {
  const { timezone } = useProject()
  const until = expires_at
    ? `${new Date(expires_at) < new Date() ? 'expired' : 'until'} ${dayOnly(expires_at, timezone)}`
    : 'never'
  return (
    <span className="soft tiny" title={allowed_addresses.join(', ') || undefined}>
      {until}
      {allowed_addresses.length > 0 && `, from ${plural(allowed_addresses.length, 'address', 'addresses')}`}
    </span>
  )
}

const LIVES = [
  { value: '90', label: '90 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'never' },
]

function ScopeText({ scopes }: { scopes: string[] }) {
  if (scopes.includes('*')) return <Badge tone="warn">full access</Badge>
  return (
    <span className="soft tiny">
      {scopes.length > 3 ? `${scopes.slice(0, 3).join(', ')} +${scopes.length - 3}` : scopes.join(', ')}
    </span>
  )
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (key: PersonalKey) => void }) {
  const project = useProject()
  const [access, setAccess] = useState<Record<string, Access>>({ person: 'read', insight: 'read' })
  const [everything, setEverything] = useState(false)
  const [thisProject, setThisProject] = useState(false)
  const create = useMutation({
    mutationFn: (form: FormData) =>
      ask<PersonalKey>('/api/personal_api_keys/', {
        body: {
          label: form.get('label'),
          expires_at: inDays(String(form.get('days'))),
          allowed_addresses: String(form.get('addresses'))
            .split(/[\s,]+/)
            .filter(Boolean),
          scopes: everything
            ? ['*']
            : Object.entries(access).flatMap(([object, kind]) => (kind === 'none' ? [] : [`${object}:${kind}`])),
          scoped_teams: thisProject ? [project.id] : [],
          scoped_organizations: [],
        },
      }),
    onSuccess: onMade,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog title="New personal API key" onClose={onClose} width={540}>
      <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
        <TextField
          label="What is it for?"
          name="label"
          required
          maxLength={40}
          placeholder="Weekly report"
          autoFocus
          error={attrOf(create.error)?.startsWith('allowed_addresses') ? null : (create.error?.message ?? null)}
        />
        <Checkbox checked={everything} onChange={(event) => setEverything(event.target.checked)}>
          Full access: everything I can do
        </Checkbox>
        {!everything && (
          <section className="scope-grid" aria-label="Scopes">
            {OBJECTS.map((object) => (
              <ScopeRow
                key={object}
                object={object}
                value={access[object] ?? 'none'}
                onChange={(kind) => setAccess({ ...access, [object]: kind })}
              />
            ))}
          </section>
        )}
        <Checkbox checked={thisProject} onChange={(event) => setThisProject(event.target.checked)}>
          Only in {project.name}
        </Checkbox>
        <Select label="Expires after" name="days" hideLabel={false} options={LIVES} />
        <TextField
          label="Allowed IP addresses (optional)"
          name="addresses"
          placeholder="203.0.113.7, 198.51.100.0/24"
          hint="Addresses or networks, separated by commas. Leave empty to allow all."
          error={attrOf(create.error)?.startsWith('allowed_addresses') ? (create.error?.message ?? null) : null}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const inDays = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString()

const attrOf = (error: Error | null): string | null => (error instanceof ApiFailure ? error.attr : null)

function ScopeRow({ object, value, onChange }: { object: string; value: Access; onChange: (access: Access) => void }) {
  return (
    <>
      <span className="small">{object.replaceAll('_', ' ')}</span>
      <Segmented
        label={object}
        value={value}
        onChange={onChange}
        options={[
          { value: 'none', label: 'None' },
          { value: 'read', label: 'Read' },
          { value: 'write', label: 'Write' },
        ]}
      />
    </>
  )
}
