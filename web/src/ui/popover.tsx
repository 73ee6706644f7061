import { Popover as Base } from '@base-ui/react/popover'
import { type ComponentProps, type ReactElement, type ReactNode, useState } from 'react'
import './popover.css'

/** What a button needs to open something: handlers, a ref and ARIA attributes. */
export type TriggerProps = ComponentProps<'button'>

/** Something that opens below its button, and closes on Esc, on a click elsewhere, or when told. */
export function Popover({
  trigger,
  children,
  label,
  width = 280,
  align = 'left',
}: {
  trigger: (props: TriggerProps) => ReactElement
  children: (close: () => void) => ReactNode
  label: string
  width?: number
  align?: 'left' | 'right'
}) {
  const [open, setOpen] = useState(false)
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          className="popover-place"
          align={align === 'right' ? 'end' : 'start'}
          sideOffset={4}
          collisionPadding={8}
        >
          <Base.Popup className="popover" style={{ width }} aria-label={label}>
            {children(() => setOpen(false))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
