import { Popover as Base } from '@base-ui/react/popover'
import { type ComponentProps, type ReactElement, type ReactNode, useRef, useState } from 'react'
import './popover.css'

/** What a button needs to open something: handlers, a ref and ARIA attributes. */
export type TriggerProps = ComponentProps<'button'>

const BAR = 64

/** Room that stays free at the edges of the window; below, also for the bar that narrow windows have there. */
export const collisionPadding = () => ({
  top: 8,
  left: 8,
  right: 8,
  bottom: window.matchMedia('(max-width: 720px)').matches ? BAR + 8 : 8,
})

/** Something that opens below its button, and closes on Esc, on a click elsewhere, or when told. */
export function Popover({
  trigger,
  children,
  label,
  width = 280,
  align = 'left',
  startsOpen = false,
  focus,
}: {
  trigger: (props: TriggerProps) => ReactElement
  children: (close: () => void) => ReactNode
  label: string
  width?: number
  align?: 'left' | 'right'
  /** It is open as soon as it appears. */
  startsOpen?: boolean
  /** What has the focus first, as a selector, if it is there; else the first control. */
  focus?: string
}) {
  const [open, setOpen] = useState(startsOpen)
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          className="popover-place"
          align={align === 'right' ? 'end' : 'start'}
          sideOffset={4}
          collisionPadding={collisionPadding()}
        >
          <Base.Popup
            ref={popup}
            className="popover"
            style={{ width }}
            aria-label={label}
            initialFocus={() => (focus && popup.current?.querySelector<HTMLElement>(focus)) || true}
          >
            {children(() => setOpen(false))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
