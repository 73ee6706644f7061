import type { ButtonHTMLAttributes, InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react'
import { useId } from 'react'
import { Icon, type IconName } from './icon.tsx'
import './controls.css'
import './fades.css'

type Kind = 'plain' | 'primary' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind
  icon?: IconName
  busy?: boolean
  small?: boolean
}

export function Button({ kind = 'plain', icon, busy, small, children, className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      {...rest}
      className={`button button-${kind} ${small ? 'button-small' : ''} ${children ? '' : 'button-icon'} ${className}`}
      disabled={rest.disabled || busy}
    >
      {icon && <Icon name={icon} size={small ? 15 : 16} />}
      {children}
    </button>
  )
}

/** A button with an icon only; `label` is its accessible name. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return <Button kind="quiet" {...rest} icon={icon} aria-label={label} title={label} />
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  className = '',
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & {
  label: string
  hint?: ReactNode
  error?: string | null
  hideLabel?: boolean
}) {
  const id = useId()
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id} className={hideLabel ? 'unseen' : 'field-label'}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-hint`}
        {...rest}
      />
      {(hint || error) && (
        <p id={`${id}-hint`} className={error ? 'field-error' : 'field-hint'} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

export interface Option {
  value: string
  label: string
}

export function Select({
  label,
  options,
  hideLabel = true,
  className = '',
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { label: string; options: readonly Option[]; hideLabel?: boolean }) {
  const id = useId()
  return (
    <span className={`select-wrap ${className}`}>
      <label htmlFor={id} className={hideLabel ? 'unseen' : 'field-label'}>
        {label}
      </label>
      <select id={id} className="select" {...rest}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  )
}

export function Checkbox({
  children,
  ...rest
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { children: ReactNode }) {
  return (
    <label className="checkbox">
      <input type="checkbox" {...rest} />
      <span>{children}</span>
    </label>
  )
}

/** One of a few, all visible: kinds of insight, intervals, displays. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly {
    value: T
    label: string
    icon?: IconName /** Why it cannot be chosen now. */
    whyNot?: string | undefined
  }[]
  onChange: (value: T) => void
}) {
  const name = useId()
  return (
    <fieldset className="segmented fades">
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment" title={option.whyNot}>
          <input
            type="radio"
            className="unseen"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.whyNot !== undefined}
            onChange={() => onChange(option.value)}
          />
          <span className="segment-face">
            {option.icon && <Icon name={option.icon} size={15} />}
            {option.label}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'good' | 'warn' | 'bad' | 'accent'
  children: ReactNode
}) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}

export function Avatar({ name, size = 28 }: { name: string; size?: number }) {
  const letter = (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase()
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 7
  return (
    <span
      className={`avatar avatar-${hash + 1}`}
      style={{ width: size, height: size, fontSize: size * 0.45 }}
      aria-hidden="true"
    >
      {letter}
    </span>
  )
}
