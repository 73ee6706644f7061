import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useOutside } from '../lib/use-outside.ts'
import './popover.css'

export interface TriggerProps {
  onClick: () => void
  'aria-expanded': boolean
  'aria-controls': string
  'aria-haspopup': 'dialog' | 'menu'
}

/** Something that opens below its button, and closes on Esc, on a click elsewhere, or when told. */
export function Popover({
  trigger,
  children,
  label,
  width = 280,
  align = 'left',
  className = '',
}: {
  trigger: (props: TriggerProps) => ReactNode
  children: (close: () => void) => ReactNode
  label: string
  width?: number
  align?: 'left' | 'right'
  className?: string
}) {
  const [open, setOpen] = useState(false)
  const [shift, setShift] = useState(0)
  const id = useId()
  const ref = useRef<HTMLDivElement>(null)
  const face = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen(false), [])
  useOutside(ref, open, close)

  // Before anything in it takes the focus: the browser would scroll the page to it.
  useLayoutEffect(() => {
    if (!open) return
    const box = face.current?.getBoundingClientRect()
    if (box && box.right > window.innerWidth - 8) setShift(window.innerWidth - 8 - box.right)
    else if (box && box.left < 8) setShift(8 - box.left)
    return () => setShift(0)
  }, [open])

  useEffect(() => {
    const root = ref.current
    if (!open || !root) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      close()
      root.querySelector<HTMLElement>('[aria-expanded]')?.focus()
    }
    root.addEventListener('keydown', onKeyDown)
    return () => root.removeEventListener('keydown', onKeyDown)
  }, [open, close])

  return (
    <div className={`popover-root ${className}`} ref={ref}>
      {trigger({
        onClick: () => setOpen((was) => !was),
        'aria-expanded': open,
        'aria-controls': id,
        'aria-haspopup': 'dialog',
      })}
      {open && (
        <div
          id={id}
          ref={face}
          className={`popover popover-${align}`}
          style={{ width, transform: shift ? `translateX(${shift}px)` : undefined }}
          role="dialog"
          aria-label={label}
        >
          {children(close)}
        </div>
      )}
    </div>
  )
}

export function MenuItem({
  onClick,
  children,
  danger,
}: {
  onClick: () => void
  children: ReactNode
  danger?: boolean
}) {
  return (
    <button type="button" className={`menu-item ${danger ? 'menu-item-danger' : ''}`} onClick={onClick}>
      {children}
    </button>
  )
}
