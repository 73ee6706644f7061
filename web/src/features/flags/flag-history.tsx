import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Activity, FeatureFlag, Page, ScheduledChange } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ago, dateTime } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button, IconButton, Select, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'

/** Who changed what, and what will change by itself. */
export function FlagHistory({ flag }: { flag: FeatureFlag }) {
  const project = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: ['flag-activity', project.id, flag.id],
    queryFn: ({ signal }) =>
      ask<{ results: Activity[] }>(inProject(project.id, `feature_flags/${flag.id}/activity/`), {
        query: { limit: 100 },
        signal,
      }),
  })
  return (
    <div className="stack-l">
      <Scheduled flag={flag} />
      <Card title={`Changes (version ${flag.version})`}>
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : !data ? (
          <SkeletonRows rows={4} />
        ) : (
          <ul className="flag-rules">
            {data.results.map(({ id, user, activity, detail, created_at }) => (
              <li key={id} className="spread small">
                <span>
                  <span className="strong">{userName(user) || 'Somebody'}</span> {wordsOf(activity, detail.changes)}
                </span>
                <span className="soft" title={dateTime(created_at, project.timezone)}>
                  {ago(created_at)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  )
}

const FIELDS: Record<string, string> = {
  filters: 'its rules',
  key: 'its key',
  name: 'its description',
  tags: 'its tags',
  ensure_experience_continuity: 'whether people keep their value when they sign in',
  evaluation_runtime: 'where it is evaluated',
  evaluation_contexts: 'where it is evaluated',
  bucketing_identifier: 'what decides its rollout',
}

function wordsOf(activity: string, changes: Activity['detail']['changes']): string {
  if (activity !== 'updated') return activity === 'created' ? 'made the flag' : `${activity} the flag`
  return changes
    .map(({ field, after }) => {
      if (field === 'active') return after === true ? 'turned it on' : 'turned it off'
      if (field === 'archived') return after === true ? 'archived it' : 'took it out of the archive'
      return `changed ${FIELDS[field ?? ''] ?? String(field).replaceAll('_', ' ')}`
    })
    .join(', ')
}

function Scheduled({ flag }: { flag: FeatureFlag }) {
  const project = useProject()
  const client = useQueryClient()
  const [adding, setAdding] = useState(false)
  const { data } = useQuery({
    queryKey: ['scheduled-changes', project.id, flag.id],
    queryFn: ({ signal }) =>
      ask<Page<ScheduledChange>>(inProject(project.id, 'scheduled_changes/'), {
        query: { record_id: String(flag.id), limit: 50 },
        signal,
      }),
  })
  const remove = useMutation({
    mutationFn: (id: number) => ask(inProject(project.id, `scheduled_changes/${id}/`), { method: 'DELETE' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['scheduled-changes'] }),
    onError: sayFailure,
  })
  const changes = data?.results ?? []
  return (
    <Card
      title="Scheduled"
      action={
        <Button small icon="calendar" onClick={() => setAdding(true)}>
          Schedule a change
        </Button>
      }
    >
      {changes.length === 0 ? (
        <p className="soft small">Nothing is scheduled.</p>
      ) : (
        <ul className="flag-rules">
          {changes.map((change) => (
            <li key={change.id} className="spread small">
              <span>
                {changeText(change)}
                {change.failure_reason && <span className="field-error"> {change.failure_reason}</span>}
              </span>
              <span className="row soft">
                {dateTime(change.executed_at ?? change.scheduled_at, project.timezone)}
                {change.executed_at === null ? (
                  <IconButton small icon="close" label="Take back" onClick={() => remove.mutate(change.id)} />
                ) : change.failure_reason ? (
                  ' failed'
                ) : (
                  ' done'
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {adding && <ScheduleForm flag={flag} onClose={() => setAdding(false)} />}
    </Card>
  )
}

function changeText({ payload, recurrence_interval, is_recurring }: ScheduledChange): string {
  const { operation, value } = payload as { operation: string; value: unknown }
  const every = is_recurring && recurrence_interval ? `, ${recurrence_interval}` : ''
  if (operation === 'update_status') return `${value === true ? 'Turn it on' : 'Turn it off'}${every}`
  return `${operation === 'update_variants' ? 'Change its variants' : 'Add conditions'}${every}`
}

const ROLLOUTS = ['10', '25', '50', '100']

function ScheduleForm({ flag, onClose }: { flag: FeatureFlag; onClose: () => void }) {
  const project = useProject()
  const client = useQueryClient()
  const [what, setWhat] = useState(flag.active ? 'off' : 'on')
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const percentage = Number(what)
      return ask(inProject(project.id, 'scheduled_changes/'), {
        body: {
          record_id: String(flag.id),
          model_name: 'FeatureFlag',
          scheduled_at: new Date(String(form.get('at'))).toISOString(),
          payload: Number.isFinite(percentage)
            ? {
                operation: 'add_release_condition',
                value: { groups: [{ properties: [], rollout_percentage: percentage }] },
              }
            : { operation: 'update_status', value: what === 'on' },
        },
      })
    },
    onSuccess: async () => {
      say('Scheduled')
      await client.invalidateQueries({ queryKey: ['scheduled-changes'] })
      onClose()
    },
    onError: sayFailure,
  })
  return (
    <FormDialog
      title="Schedule a change"
      save="Schedule"
      busy={save.isPending}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <Select
        label="What"
        hideLabel={false}
        value={what}
        onChange={(event) => setWhat(event.target.value)}
        options={[
          { value: 'on', label: 'Turn it on' },
          { value: 'off', label: 'Turn it off' },
          ...ROLLOUTS.map((share) => ({ value: share, label: `Add a condition: ${share}% of everybody` })),
        ]}
      />
      <TextField label="When" name="at" type="datetime-local" required hint="In the time zone of this browser." />
    </FormDialog>
  )
}
