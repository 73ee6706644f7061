import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { featureFlags } from '../../api/queries.ts'
import { keyed } from '../../lib/keyed.ts'
import { Button, IconButton, Select } from '../../ui/controls.tsx'
import { Picker } from '../../ui/picker.tsx'
import { FilterList } from '../insights/index.ts'
import type { Condition, Dependency, Variant } from './document.ts'
import { Matching } from './matching.tsx'

/** One condition: who, how many of them, and which variant. */
export function ConditionEditor({
  index,
  condition,
  variants,
  groupType,
  ownId,
  onChange,
  onRemove,
}: {
  index: number
  condition: Condition
  variants: readonly Variant[]
  groupType: number | null
  ownId: number | null
  onChange: (condition: Condition) => void
  onRemove: (() => void) | undefined
}) {
  const { filters, flags, rollout, variant } = condition
  return (
    <fieldset className="flag-condition">
      <legend className="unseen">Condition {index + 1}</legend>
      <div className="spread">
        <span className="strong small">
          {index + 1}. {whoIs(condition, groupType)}
        </span>
        {onRemove && <IconButton small icon="close" label={`Remove condition ${index + 1}`} onClick={onRemove} />}
      </div>
      <FilterList
        filters={filters}
        types={[groupType === null ? 'person' : 'group']}
        label="Add a property"
        onChange={(next) => onChange({ ...condition, filters: next })}
      />
      <Dependencies flags={flags} ownId={ownId} onChange={(next) => onChange({ ...condition, flags: next })} />
      <div className="row-wrap">
        <input
          className="input flag-share"
          type="number"
          min={0}
          max={100}
          step="any"
          aria-label={`Share of condition ${index + 1} in percent`}
          value={rollout}
          onChange={(event) => onChange({ ...condition, rollout: clamp(Number(event.target.value)) })}
        />
        <span className="small">% of them get</span>
        {variants.length > 0 ? (
          <Select
            label={`Variant of condition ${index + 1}`}
            value={variant ?? ''}
            onChange={(event) => onChange({ ...condition, variant: event.target.value || null })}
            options={[
              { value: '', label: 'a variant by share' },
              ...variants.filter(({ key }) => key !== '').map(({ key }) => ({ value: key, label: key })),
            ]}
          />
        ) : (
          <span className="small">it</span>
        )}
        <span className="grow" />
        <Matching condition={condition} groupType={groupType} />
      </div>
    </fieldset>
  )
}

function whoIs({ filters, flags }: Condition, groupType: number | null): string {
  if (filters.length + flags.length === 0) return groupType === null ? 'Everybody' : 'All groups'
  return groupType === null ? 'People who match all of these' : 'Groups that match all of these'
}

const clamp = (share: number): number => Math.min(100, Math.max(0, Number.isFinite(share) ? share : 0))

/** Other flags that must have a value. */
function Dependencies({
  flags,
  ownId,
  onChange,
}: {
  flags: readonly Dependency[]
  ownId: number | null
  onChange: (flags: Dependency[]) => void
}) {
  const project = useProject()
  const { data, isPending } = useQuery({ ...featureFlags(project.id, { limit: 1000 }), staleTime: 60_000 })
  const others = (data?.results ?? []).filter(({ id }) => id !== ownId)
  const keyOf = (id: string) => others.find((each) => String(each.id) === id)?.key ?? `flag ${id}`
  return (
    <div className="row-wrap">
      {keyed(flags).map(({ key, item, index }) => (
        <span key={key} className="row">
          <span className="small">flag {keyOf(item.id)} is</span>
          <Select
            label={`Value of ${keyOf(item.id)}`}
            value={typeof item.value === 'string' ? `variant ${item.value}` : String(item.value)}
            onChange={({ target }) => {
              const value = target.value.startsWith('variant ') ? target.value.slice(8) : target.value === 'true'
              onChange(flags.map((other, at) => (at === index ? { ...item, value } : other)))
            }}
            options={valuesOf(others.find(({ id }) => String(id) === item.id)?.filters, item.value)}
          />
          <IconButton
            small
            icon="close"
            label={`Remove the condition on ${keyOf(item.id)}`}
            onClick={() => onChange(flags.filter((_, at) => at !== index))}
          />
        </span>
      ))}
      {others.length > 0 && (
        <Picker
          label="Flags"
          loading={isPending}
          choices={others.map(({ id, key, name }) => ({
            value: String(id),
            label: key,
            ...(name ? { note: name } : {}),
          }))}
          onPick={(id) => onChange([...flags, { id, value: true }])}
          trigger={(props) => (
            <Button small kind="quiet" icon="flag" {...props}>
              Depends on a flag
            </Button>
          )}
        />
      )}
    </div>
  )
}

function valuesOf(filters: unknown, now: Dependency['value']) {
  const { multivariate } = (filters ?? {}) as { multivariate?: { variants?: { key: string }[] } | null }
  const keys = new Set([
    ...(multivariate?.variants ?? []).map(({ key }) => key),
    ...(typeof now === 'string' ? [now] : []),
  ])
  return [
    { value: 'true', label: 'on' },
    { value: 'false', label: 'off' },
    ...[...keys].map((key) => ({ value: `variant ${key}`, label: key })),
  ]
}
