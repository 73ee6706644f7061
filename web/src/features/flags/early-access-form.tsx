import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { EarlyAccessFeature } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { featureFlags } from '../../api/queries.ts'
import { Select, TextField } from '../../ui/controls.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { STAGES, type Stage, wordsOf } from './early-access-stages.ts'

/** Makes a feature that people may turn on for themselves, or changes one. */
export function EarlyAccessForm({
  feature,
  onDone,
  onClose,
}: {
  feature?: EarlyAccessFeature
  onDone: (feature: EarlyAccessFeature) => void
  onClose: () => void
}) {
  const project = useProject()
  const client = useQueryClient()
  const [stage, setStage] = useState<Stage>(feature?.stage ?? 'draft')
  const flags = useQuery({ ...featureFlags(project.id, { limit: 500 }), enabled: !feature })
  // A flag of groups is no choice of people, and a flag has one feature at most.
  const free = (flags.data?.results ?? []).filter(({ features }) => !features?.length)
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const flag = String(form.get('flag') ?? '')
      const body = {
        name: String(form.get('name')),
        description: String(form.get('description') ?? ''),
        documentation_url: String(form.get('documentation') ?? ''),
        stage,
        ...(flag === '' ? {} : { feature_flag_id: Number(flag) }),
      }
      return feature
        ? ask<EarlyAccessFeature>(inProject(project.id, `early_access_feature/${feature.id}/`), {
            method: 'PATCH',
            body,
          })
        : ask<EarlyAccessFeature>(inProject(project.id, 'early_access_feature/'), { body })
    },
    onSuccess: (saved) => {
      for (const key of ['early-access', 'early-access-feature', 'feature-flag', 'feature-flags'])
        void client.invalidateQueries({ queryKey: [key] })
      onDone(saved)
    },
    onError: sayFailure,
  })
  return (
    <FormDialog
      title={feature ? 'Change this feature' : 'New early access feature'}
      save={feature ? 'Save' : 'Create'}
      busy={save.isPending}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={200} defaultValue={feature?.name} />
      <TextArea label="Description" name="description" defaultValue={feature?.description} />
      <TextField
        label="Documentation (address)"
        name="documentation"
        type="url"
        defaultValue={feature?.documentation_url}
      />
      <div className="stack" style={{ gap: 4 }}>
        <Select
          label="Stage"
          hideLabel={false}
          value={stage}
          options={STAGES.map(({ value, label }) => ({ value, label }))}
          onChange={(event) => setStage(STAGES.find(({ value }) => value === event.target.value)?.value ?? stage)}
        />
        <p className="field-hint">{wordsOf(stage).means}</p>
      </div>
      {!feature && (
        <Select
          label="Feature flag"
          hideLabel={false}
          name="flag"
          options={[
            { value: '', label: 'Make a new one from the name' },
            ...free.map(({ id, key }) => ({ value: String(id), label: key })),
          ]}
        />
      )}
    </FormDialog>
  )
}
