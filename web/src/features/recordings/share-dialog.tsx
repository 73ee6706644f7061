import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewShare, Share } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dateTime } from '../../lib/format.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'

const TERMS = [
  { value: '1', label: 'for a day' },
  { value: '7', label: 'for a week' },
  { value: '30', label: 'for 30 days' },
  { value: '365', label: 'for a year' },
]

/** Public links to a recording, a playlist or a page (`path` says which): made, counted and revoked. */
export function ShareDialog({
  path,
  what,
  about = 'They see the screen, but not who it was.',
  search = '',
  onClose,
}: {
  path: string
  what: string
  /** What visitors see. */
  about?: string
  /** Of the address that is shared. */
  search?: string
  onClose: () => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const [days, setDays] = useState('7')
  const [made, setMade] = useState<NewShare | null>(null)
  const shares = inProject(project.id, `${path}shares/`)
  const key = ['shares', shares]
  const { data, error, isPending, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask<{ results: Share[] }>(shares, { signal }),
  })
  const create = useMutation({
    mutationFn: () => ask<NewShare>(shares, { body: { expires_in_days: Number(days) } }),
    onSuccess: (share) => {
      setMade(share)
      void client.invalidateQueries({ queryKey: key })
    },
    onError: sayFailure,
  })
  const revoke = useMutation({
    mutationFn: ({ id }: Share) => ask(`${shares}${id}/`, { method: 'DELETE' }),
    onSuccess: (_, { id }) => {
      if (made?.id === id) setMade(null)
      say('The link no longer works')
      void client.invalidateQueries({ queryKey: key })
    },
    onError: sayFailure,
  })
  return (
    <Dialog title={`Share this ${what}`} onClose={onClose} width={520}>
      <p className="small soft">
        Anyone with the link can view the {what} without signing in. {about} The link expires, and you can revoke it
        earlier.
      </p>
      <div className="row-wrap">
        <Select label="Link is valid" value={days} options={TERMS} onChange={(event) => setDays(event.target.value)} />
        <Button kind="primary" icon="link" onClick={() => create.mutate()} busy={create.isPending}>
          Create public link
        </Button>
      </div>
      {made && (
        <div className="once">
          <p className="small strong">Copy it now. It is shown only once.</p>
          <CodeBlock label="Public link" code={`${made.url}${search}`} />
        </div>
      )}
      <section className="stack" aria-label="Active links">
        <h3>Active links</h3>
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={2} />
        ) : data.results.length === 0 ? (
          <p className="small soft">There are no active links.</p>
        ) : (
          <ul className="stack">
            {data.results.map((share) => (
              <li key={share.id} className="spread small">
                <span>
                  Until {dateTime(share.expires_at, project.timezone)}{' '}
                  <span className="soft">made {dateTime(share.created_at, project.timezone)}</span>
                </span>
                <Button small kind="danger" onClick={() => revoke.mutate(share)} busy={revoke.isPending}>
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </section>
    </Dialog>
  )
}
