import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { FeatureFlag } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { featureFlag, groupTypes } from '../../api/queries.ts'
import { keyed } from '../../lib/keyed.ts'
import { groupWords } from '../../lib/names.ts'
import { Button, Checkbox, Select, TextField } from '../../ui/controls.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import { documentOf, EVERYBODY, isEditable, type Rules, rulesOf, wrongPayload } from './document.ts'
import { refreshFlags } from './flag-state.tsx'
import { VariantsEditor } from './variants-editor.tsx'
import './flags.css'

export const NewFlagPage = () => <FlagForm flag={null} />

export function EditFlagPage() {
  const project = useProject()
  const { flagId = '' } = useParams({ strict: false })
  const { data: flag, error, refetch } = useQuery(featureFlag(project.id, flagId))
  if (flag) return <FlagForm flag={flag} />
  return (
    <Page title="Change flag">
      {error ? <ErrorState error={error} retry={() => refetch()} /> : <SkeletonRows rows={8} />}
    </Page>
  )
}

const NEW: Rules = { conditions: [EVERYBODY], variants: [], payloads: {}, groupType: null }

/** Makes a flag, or changes one. What was read is sent along, so that nobody's change is lost. */
function FlagForm({ flag }: { flag: FeatureFlag | null }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [read] = useState(flag)
  const [key, setKey] = useState(flag?.key ?? '')
  const [name, setName] = useState(flag?.name ?? '')
  const [runtime, setRuntime] = useState<string>(flag?.evaluation_runtime ?? 'all')
  const [keeps, setKeeps] = useState(flag?.ensure_experience_continuity ?? false)
  const [rules, setRules] = useState<Rules>(flag ? rulesOf(flag.filters) : NEW)
  const types = useQuery({ ...groupTypes(project.id), staleTime: 60_000 })
  const editable = read === null || isEditable(read.filters)
  const save = useMutation({
    mutationFn: () =>
      ask<FeatureFlag>(inProject(project.id, read ? `feature_flags/${read.id}/` : 'feature_flags/'), {
        method: read ? 'PATCH' : 'POST',
        body: {
          key: key.trim(),
          name,
          evaluation_runtime: runtime,
          ensure_experience_continuity: keeps,
          ...(editable ? { filters: documentOf(rules) } : {}),
          ...(read ? { version: read.version, original_flag: read } : {}),
        },
      }),
    onSuccess: async ({ id }) => {
      await refreshFlags(client)
      await navigate({ to: '/project/$projectId/flags/$flagId', params: { ...params, flagId: String(id) } })
    },
    onError: sayFailure,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Forms in popovers are elsewhere in the document, but React tells this one of them too.
    if (event.target === event.currentTarget) save.mutate()
  }
  const { conditions, variants, payloads, groupType } = rules
  const wrong = Object.values(payloads).some((text) => wrongPayload(text) !== null)
  return (
    <Page title={read ? `Change ${read.key}` : 'New flag'}>
      <form className="stack-l" onSubmit={submit}>
        <Card>
          <TextField
            label="Key"
            value={key}
            required
            maxLength={400}
            pattern="[A-Za-z0-9_\-]+"
            title="Letters, digits, hyphens and underscores"
            hint={
              read && key !== read.key
                ? 'Code that asks for the old key gets nothing any more.'
                : 'What your code asks for.'
            }
            onChange={(event) => setKey(event.target.value)}
          />
          <TextField label="Description" value={name} onChange={(event) => setName(event.target.value)} />
        </Card>
        {editable ? (
          <>
            <Card
              title="Who gets it"
              action={
                (types.data?.length ?? 0) > 0 && (
                  <Select
                    label="About"
                    value={groupType === null ? '' : String(groupType)}
                    onChange={({ target }) =>
                      setRules({
                        ...rules,
                        groupType: target.value === '' ? null : Number(target.value),
                        // Filters are about the one or the other.
                        conditions: conditions.map((each) => ({ ...each, filters: [] })),
                      })
                    }
                    options={[
                      { value: '', label: 'People' },
                      ...(types.data ?? []).map((type) => ({
                        value: String(type.group_type_index),
                        label: groupWords(type)[1],
                      })),
                    ]}
                  />
                )
              }
            >
              {keyed(conditions).map(({ key: id, item, index }) => (
                <ConditionEditor
                  key={id}
                  index={index}
                  condition={item}
                  variants={variants}
                  groupType={groupType}
                  ownId={read?.id ?? null}
                  onChange={(next) =>
                    setRules({ ...rules, conditions: conditions.map((other, at) => (at === index ? next : other)) })
                  }
                  onRemove={
                    conditions.length > 1
                      ? () => setRules({ ...rules, conditions: conditions.filter((_, at) => at !== index) })
                      : undefined
                  }
                />
              ))}
              <div>
                <Button
                  small
                  icon="plus"
                  onClick={() => setRules({ ...rules, conditions: [...conditions, EVERYBODY] })}
                >
                  Add a condition
                </Button>
              </div>
            </Card>
            <Card title="What they get">
              <VariantsEditor rules={rules} onChange={setRules} />
            </Card>
          </>
        ) : (
          <Card>
            <p className="small soft">
              The rules of this flag were written through the API in a form that this page cannot edit.
            </p>
          </Card>
        )}
        <Card title="Options">
          <Select
            label="Evaluated for"
            hideLabel={false}
            value={runtime}
            onChange={(event) => setRuntime(event.target.value)}
            options={[
              { value: 'all', label: 'Browsers, apps and servers' },
              { value: 'client', label: 'Browsers and apps only' },
              { value: 'server', label: 'Servers only' },
            ]}
          />
          <Checkbox checked={keeps} onChange={(event) => setKeeps(event.target.checked)}>
            People keep what they got when they sign in
          </Checkbox>
        </Card>
        <div className="row-wrap">
          <Button kind="primary" type="submit" busy={save.isPending} disabled={wrong}>
            {read ? 'Save' : 'Create flag'}
          </Button>
          {read ? (
            <Link
              to="/project/$projectId/flags/$flagId"
              params={{ ...params, flagId: String(read.id) }}
              className="button button-quiet"
            >
              Cancel
            </Link>
          ) : (
            <Link to="/project/$projectId/flags" params={params} className="button button-quiet">
              Cancel
            </Link>
          )}
        </div>
      </form>
    </Page>
  )
}
