import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Cohort } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { keyed } from '../../lib/keyed.ts'
import { partsOf } from '../../lib/parts-of.ts'
import { Button, IconButton, Segmented, Select, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { EventPicker, FilterList, whyUnfinished } from '../insights/index.ts'
import { type Behaviour, type Criteria, criteriaOf, filtersOf, NO_CRITERIA } from './criteria.ts'

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
      width={560}
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
    : whyUnfinished(properties)

function CriteriaEditor({ criteria, onChange }: { criteria: Criteria; onChange: (criteria: Criteria) => void }) {
  const { properties, behaviours } = criteria
  const set = (next: Behaviour[]) => onChange({ ...criteria, behaviours: next })
  const replace = (index: number, next: Behaviour) => set(behaviours.map((other, i) => (i === index ? next : other)))
  return (
    <div className="stack" style={{ gap: 12 }}>
      <p className="field-label">Persons who match all of these</p>
      <FilterList
        filters={properties}
        types={['person']}
        label="Add a property"
        onChange={(next) => onChange({ ...criteria, properties: next })}
      />
      {keyed(behaviours).map(({ key, item, index }) => (
        <div className="row-wrap" key={key}>
          <Select
            label="Did it or not"
            value={item.did ? 'did' : 'not'}
            options={[
              { value: 'did', label: 'did' },
              { value: 'not', label: 'did not do' },
            ]}
            onChange={(event) => replace(index, { ...item, did: event.target.value === 'did' })}
          />
          <EventPicker
            value={item.event}
            name={item.action === undefined ? undefined : item.name}
            any={false}
            onPick={(event) => replace(index, { did: item.did, days: item.days, event })}
            onPickAction={(action, name) => replace(index, { ...item, event: null, action, name })}
          />
          <span className="small soft">in the last</span>
          <input
            className="input"
            type="number"
            min={1}
            max={3650}
            style={{ width: 80 }}
            aria-label="Days"
            value={item.days}
            onChange={(event) => replace(index, { ...item, days: Math.max(1, Number(event.target.value) || 1) })}
          />
          <span className="small soft">days</span>
          <IconButton small label="Remove" icon="close" onClick={() => set(behaviours.filter((_, i) => i !== index))} />
        </div>
      ))}
      <div>
        <Button
          small
          kind="quiet"
          icon="plus"
          onClick={() => set([...behaviours, { did: true, event: '$pageview', days: 30 }])}
        >
          Add behaviour
        </Button>
      </div>
    </div>
  )
}
