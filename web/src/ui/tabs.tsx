import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import './tabs.css'

interface Tab<T extends string> {
  value: T
  label: ReactNode
}

/** Views of one thing. Arrow keys move between them. */
export function Tabs<T extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  label: string
  value: T
  tabs: readonly Tab<T>[]
  onChange: (value: T) => void
}) {
  return (
    <Base.Root value={value} onValueChange={onChange}>
      <Base.List className="tabs" aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
    </Base.Root>
  )
}
