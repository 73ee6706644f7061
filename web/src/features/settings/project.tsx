import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Project } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ApiFailure } from '../../lib/api-failure.ts'
import { Button, Checkbox, Select, TextField } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import type { Filter } from '../insights/index.ts'
import { FilterList, readFilters, whyUnfinished } from '../insights/index.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DeleteProject } from './delete-project.tsx'
import { Losses } from './losses.tsx'
import { ProjectKey } from './project-key.tsx'

export function ProjectSettings() {
  const project = useProject()
  return (
    <>
      <ProjectKey />
      <General key={project.id} project={project} />
      <Collecting project={project} />
      <TestAccounts key={`test-${project.id}`} project={project} />
      <NewProject />
      <DeleteProject project={project} />
    </>
  )
}

function useSave(project: Project) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Record<string, unknown>) => ask<Project>(inProject(project.id, ''), { method: 'PATCH', body }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['project'] }),
        client.invalidateQueries({ queryKey: ['projects'] }),
      ])
      say('Saved')
    },
  })
}

function General({ project }: { project: Project }) {
  const save = useSave(project)
  const [losing, setLosing] = useState<Record<string, unknown> | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = String(form.get('retention')).trim()
    const recordings = String(form.get('recordings')).trim()
    const retention = {
      data_retention_days: days === '' ? null : Number(days),
      ...(recordings === '' ? {} : { recording_retention_days: Number(recordings) }),
    }
    const changes = {
      name: form.get('name'),
      timezone: form.get('timezone'),
      week_start_day: Number(form.get('week')),
      ...retention,
    }
    if (isShorter(retention, project)) setLosing(changes)
    else save.mutate(changes)
  }
  /** What is wrong with a field stands at the field. */
  const failed = (field: string) => (!losing && attrOf(save.error) === field ? (save.error?.message ?? null) : null)
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <Card title="General">
      <form className="form" onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          defaultValue={project.name}
          required
          maxLength={200}
          error={failed('name')}
        />
        <TextField
          label="Time zone"
          name="timezone"
          defaultValue={project.timezone}
          list="zones"
          hint="Days begin and end in this zone, in every insight."
          error={failed('timezone')}
          required
        />
        <datalist id="zones">
          {['UTC', ...zones].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <Select
          label="Weeks begin on"
          name="week"
          hideLabel={false}
          defaultValue={String(project.week_start_day)}
          options={[
            { value: '0', label: 'Sunday' },
            { value: '1', label: 'Monday' },
          ]}
        />
        <TextField
          label="Keep events for (days)"
          name="retention"
          inputMode="numeric"
          pattern="\d*"
          defaultValue={project.data_retention_days ?? ''}
          placeholder="forever"
          hint="Older events are permanently deleted."
          error={failed('data_retention_days')}
        />
        <TextField
          label="Keep recordings for (days)"
          name="recordings"
          inputMode="numeric"
          pattern="\d*"
          defaultValue={project.recording_retention_days}
          hint="Older recordings are permanently deleted."
          error={failed('recording_retention_days')}
        />
        {save.error && !losing && !FIELDS.includes(attrOf(save.error)) && (
          <p role="alert" className="field-error">
            {save.error.message}
          </p>
        )}
        <div>
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
      {losing && (
        <ConfirmDialog
          title="Delete older data?"
          action="Delete older data"
          run={(confirmation) => save.mutateAsync({ ...losing, ...confirmation })}
          onClose={() => setLosing(null)}
        >
          <Losses changes={losing} project={project} />
        </ConfirmDialog>
      )}
    </Card>
  )
}

const FIELDS = ['name', 'timezone', 'data_retention_days', 'recording_retention_days']
const attrOf = (error: unknown): string => (error instanceof ApiFailure ? (error.attr ?? '') : '')

type Retention = Partial<Pick<Project, 'data_retention_days' | 'recording_retention_days'>>

/** Whether something that is kept now would be deleted. */
const isShorter = (wanted: Retention, now: Retention): boolean =>
  (['data_retention_days', 'recording_retention_days'] as const).some((name) => {
    const [after, before] = [wanted[name], now[name]]
    return typeof after === 'number' && (typeof before !== 'number' || after < before)
  })

const CHOICES = [
  {
    name: 'session_recording_opt_in',
    label: 'Record sessions',
    hint: 'SDKs with recording enabled record sessions. When this is off, they stop the next time they start.',
    inverted: false,
  },
  {
    name: 'autocapture_opt_out',
    label: 'Capture clicks and inputs automatically',
    hint: 'The browser SDK sends $autocapture events without further code.',
    inverted: true,
  },
  {
    name: 'heatmaps_opt_in',
    label: 'Collect heatmaps',
    hint: 'The browser SDK sends where visitors click and move the mouse, and how far they scroll.',
    inverted: false,
  },
  {
    name: 'honor_do_not_track',
    label: 'Honour Do Not Track and Global Privacy Control',
    hint: 'Nothing is stored of visitors whose browser asks not to track them; only how many events there were.',
    inverted: false,
  },
  {
    name: 'anonymize_ips',
    label: 'Discard IP addresses',
    hint: 'The IP address of a visitor is discarded before the event is stored.',
    inverted: false,
  },
] as const

/** Each takes effect when it is ticked. */
function Collecting({ project }: { project: Project }) {
  const save = useSave(project)
  return (
    <Card title="Data collection">
      {CHOICES.map(({ name, label, hint, inverted }) => (
        <div key={name} className="choice">
          <Checkbox
            checked={(project[name] === true) !== inverted}
            disabled={save.isPending}
            onChange={(event) => save.mutate({ [name]: event.target.checked !== inverted })}
          >
            {label}
          </Checkbox>
          <p className="tiny soft">{hint}</p>
        </div>
      ))}
      {save.error && (
        <p role="alert" className="field-error">
          {save.error.message}
        </p>
      )}
    </Card>
  )
}

const unreadable = (filters: unknown): unknown[] =>
  Array.isArray(filters) ? filters.filter((filter) => readFilters([filter]).length === 0) : []

function TestAccounts({ project }: { project: Project }) {
  const save = useSave(project)
  const [filters, setFilters] = useState<Filter[]>(() => readFilters(project.test_account_filters))
  // What the page cannot show is kept as it is.
  const [tried, setTried] = useState(false)
  const problem = whyUnfinished(filters)
  const submit = () => {
    setTried(true)
    if (!problem) save.mutate({ test_account_filters: [...others, ...filters] })
  }
  const others = unreadable(project.test_account_filters)
  return (
    <Card title="Test accounts">
      <p className="small soft">
        Insights that exclude test accounts count only people and events that meet all of these conditions, for example:
        email does not contain @example.com.
      </p>
      <FilterList filters={filters} types={['person', 'event']} onChange={setFilters} label="Add a condition" />
      {tried && problem && (
        <p role="alert" className="field-error">
          {problem}
        </p>
      )}
      <div>
        <Button onClick={submit} busy={save.isPending}>
          Save
        </Button>
      </div>
    </Card>
  )
}

function NewProject() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: (name: string) => ask<Project>('/api/projects/', { body: { name } }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['projects'] })
      await navigate({ to: '/project/$projectId/start', params: { projectId: String(id) } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <Card title="New project">
      <p className="small soft">
        A project has its own key, events and persons. Use one for each product, and one for trying things out.
      </p>
      <form className="row-wrap" onSubmit={submit}>
        <TextField
          label="Name of the new project"
          hideLabel
          name="name"
          placeholder="Name"
          required
          maxLength={200}
          error={create.error?.message ?? null}
        />
        <Button type="submit" icon="plus" busy={create.isPending}>
          Create
        </Button>
      </form>
    </Card>
  )
}
