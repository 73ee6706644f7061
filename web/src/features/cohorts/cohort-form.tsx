import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Cohort } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { keyed } from '../../lib/keyed.ts'
import { partsOf } from '../../lib/parts-of.ts'
import { Button, Segmented, Select, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { FilterList, whyUnfinished } from '../insights/index.ts'
import { BehaviourEditor } from './behaviour-editor.tsx'
import { type Behaviour, NEW_BEHAVIOUR, whyImpossible } from './behaviours.ts'
import { type Criteria, criteriaOf, filtersOf, NO_CRITERIA } from './criteria.ts'

/** Makes a cohort, or changes one. */
export function CohortForm({
  cohort,
  onDone,
  onClose,
}: {
  cohort?: Cohort
  onDone: (cohort: Cohort) => void
  onClose: () => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const [name, setName] = useState(cohort?.name ?? '')
  const [kind, setKind] = useState<'criteria' | 'list'>(cohort?.is_static ? 'list' : 'criteria')
  const [list, setList] = useState('')
  const known = cohort ? criteriaOf(cohort) : NO_CRITERIA
  const [criteria, setCriteria] = useState<Criteria>(known ?? NO_CRITERIA)
  const save = useMutation({
    mutationFn: () => {
      const who =
        kind === 'list'
          ? {
              is_static: true,
              distinct_ids: partsOf(list, '\n'),
            }
          : known
            ? { filters: filtersOf(criteria) }
            : {}
      return ask<Cohort>(inProject(project.id, cohort ? `cohorts/${cohort.id}/` : 'cohorts/'), {
        method: cohort ? 'PATCH' : 'POST',
        body: { name: name.trim() || 'Untitled', ...who },
      })
    },
    onSuccess: async (saved) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['cohorts'] }),
        client.invalidateQueries({ queryKey: ['cohort'] }),
        client.invalidateQueries({ queryKey: ['cohort-persons'] }),
      ])
      onDone(saved)
    },
    onError: sayFailure,
  })
  const problem = kind === 'criteria' && known ? whyNotSaved(criteria) : null
  return (
    <FormDialog
      title={cohort ? 'Edit cohort' : 'New cohort'}
      width={620}
      problem={problem}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} required />
      {!cohort && (
        <Segmented
          label="How persons are added"
          value={kind}
          onChange={setKind}
          options={[
            { value: 'criteria', label: 'By properties and behaviour' },
            { value: 'list', label: 'A list of distinct ids' },
          ]}
        />
      )}
      {kind === 'list' ? (
        <TextArea
          label={cohort ? 'More distinct ids' : 'Distinct ids'}
          hint="One per line. Unknown ids are skipped."
          rows={6}
          value={list}
          onChange={(event) => setList(event.target.value)}
        />
      ) : known ? (
        <CriteriaEditor criteria={criteria} onChange={setCriteria} />
      ) : (
        <p className="small soft">This cohort was defined through the API, with criteria that this form cannot edit.</p>
      )}
    </FormDialog>
  )
}

/** Without conditions it would be everybody, which is no cohort. */
const whyNotSaved = ({ properties, behaviours }: Criteria): string | null =>
  properties.length + behaviours.length === 0
    ? 'Add a property or a behaviour: without one the cohort would contain everybody.'
    : (whyUnfinished([...properties, ...behaviours.flatMap(({ filters }) => filters)]) ??
      behaviours.map(whyImpossible).find((why) => why !== null) ??
      null)

function CriteriaEditor({ criteria, onChange }: { criteria: Criteria; onChange: (criteria: Criteria) => void }) {
  const { match, properties, behaviours } = criteria
  const set = (next: Behaviour[]) => onChange({ ...criteria, behaviours: next })
  return (
    <div className="stack" style={{ gap: 12 }}>
      <div className="row">
        <span className="field-label">Persons who match</span>
        <Select
          label="All or any of these"
          className="small-select"
          value={match}
          options={[
            { value: 'all', label: 'all of these' },
            { value: 'any', label: 'any of these' },
          ]}
          onChange={(event) => onChange({ ...criteria, match: event.target.value === 'any' ? 'any' : 'all' })}
        />
      </div>
      <FilterList
        filters={properties}
        types={['person']}
        label="Add a property"
        onChange={(next) => onChange({ ...criteria, properties: next })}
      />
      {keyed(behaviours).map(({ key, item, index }) => (
        <BehaviourEditor
          key={key}
          behaviour={item}
          onChange={(next) => set(behaviours.map((other, i) => (i === index ? next : other)))}
          onRemove={() => set(behaviours.filter((_, i) => i !== index))}
        />
      ))}
      <div>
        <Button small kind="quiet" icon="plus" onClick={() => set([...behaviours, NEW_BEHAVIOUR])}>
          Add behaviour
        </Button>
      </div>
    </div>
  )
}
