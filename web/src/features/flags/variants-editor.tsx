import { keyed } from '../../lib/keyed.ts'
import { Button, IconButton, TextField } from '../../ui/controls.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { evenShares, type Rules, type Variant, wrongPayload } from './document.ts'

/** Variants with their shares and payloads; without variants, one payload. */
export function VariantsEditor({ rules, onChange }: { rules: Rules; onChange: (rules: Rules) => void }) {
  const { variants, payloads } = rules
  const set = (next: Variant[]) => onChange({ ...rules, variants: next })
  const replace = (index: number, next: Variant) => {
    const before = variants[index]?.key ?? ''
    const { [before]: payload, ...others } = payloads
    onChange({
      ...rules,
      variants: variants.map((each, at) => (at === index ? next : each)),
      payloads: payload === undefined ? payloads : { ...others, [next.key]: payload },
      conditions: rules.conditions.map((each) => (each.variant === before ? { ...each, variant: next.key } : each)),
    })
  }
  const sum = variants.reduce((total, { share }) => total + share, 0)
  if (variants.length === 0)
    return (
      <div className="stack" style={{ gap: 12 }}>
        <Payload
          label="Payload"
          value={payloads.true ?? ''}
          onChange={(text) => onChange({ ...rules, payloads: { ...payloads, true: text } })}
        />
        <div>
          <Button small icon="plus" onClick={() => set(evenShares([named('control'), named('test')]))}>
            Serve variants instead
          </Button>
        </div>
      </div>
    )
  return (
    <div className="stack" style={{ gap: 16 }}>
      {keyed(variants).map(({ key, item, index }) => (
        <div key={key} className="stack" style={{ gap: 8 }}>
          <div className="flag-variant">
            <TextField
              label="Key"
              value={item.key}
              required
              onChange={(event) => replace(index, { ...item, key: event.target.value.trim() })}
            />
            <TextField
              label="Description"
              value={item.name}
              onChange={(event) => replace(index, { ...item, name: event.target.value })}
            />
            <TextField
              label="Share in %"
              type="number"
              min={0}
              max={100}
              step="any"
              value={item.share}
              onChange={(event) => replace(index, { ...item, share: Number(event.target.value) || 0 })}
            />
            <IconButton
              small
              icon="close"
              label={`Remove the variant ${item.key}`}
              onClick={() => set(variants.filter((_, at) => at !== index))}
            />
          </div>
          <Payload
            label={`Payload of ${item.key || 'this variant'}`}
            value={payloads[item.key] ?? ''}
            onChange={(text) => onChange({ ...rules, payloads: { ...payloads, [item.key]: text } })}
          />
        </div>
      ))}
      {Math.abs(sum - 100) > 0.001 && (
        <p className="field-error" role="alert">
          The shares sum to {Number(sum.toFixed(3))}%, and must sum to 100%.
        </p>
      )}
      <div className="row-wrap">
        <Button small icon="plus" onClick={() => set([...variants, named(`variant-${variants.length}`)])}>
          Add a variant
        </Button>
        <Button small kind="quiet" onClick={() => set(evenShares(variants))}>
          Same share for all
        </Button>
      </div>
    </div>
  )
}

const named = (key: string): Variant => ({ key, name: '', share: 0 })

function Payload({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const wrong = wrongPayload(value)
  return (
    <TextArea
      label={label}
      rows={2}
      className="input mono"
      value={value}
      hint={wrong ?? 'JSON that comes with the flag, if any.'}
      aria-invalid={wrong !== null}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
