import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { collisionPadding, type TriggerProps } from './popover.tsx'
import './popover.css'

/** A menu below a button: arrows and first letters move, Enter chooses, Esc closes. */
export function Menu({
  trigger,
  children,
  label,
  width = 280,
  align = 'left',
}: {
  trigger: (props: TriggerProps) => ReactElement
  children: ReactNode
  label: string
  width?: number
  align?: 'left' | 'right'
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          className="popover-place"
          align={align === 'right' ? 'end' : 'start'}
          sideOffset={4}
          collisionPadding={collisionPadding()}
        >
          <Base.Popup className="popover menu" style={{ width }} aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export function MenuItem({
  onClick,
  danger,
  children,
}: {
  onClick: () => void
  danger?: boolean
  children: ReactNode
}) {
  return (
    <Base.Item className={`menu-item ${danger ? 'menu-item-danger' : ''}`} onClick={onClick}>
      {children}
    </Base.Item>
  )
}

/** A link in a menu; `link` is the link element without children. */
export function MenuLink({ link, children }: { link: ReactElement; children: ReactNode }) {
  return (
    <Base.LinkItem className="menu-item" closeOnClick render={link}>
      {children}
    </Base.LinkItem>
  )
}

export const MenuLine = () => <Base.Separator className="menu-line" />
