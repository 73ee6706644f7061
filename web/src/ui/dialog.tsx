import { Dialog as Base } from '@base-ui/react/dialog'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from './controls.tsx'
import './dialog.css'

const FIELDS = ['input', 'textarea', 'select'].map((field) => `.dialog-body ${field}:enabled`)
const FIRST = [...FIELDS, '.dialog-actions button:enabled'].join(', ')

/** A modal dialog: focus stays inside, Esc closes it. */
export function Dialog({
  title,
  onClose,
  children,
  width = 460,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  width?: number
}) {
  const popup = useRef<HTMLDivElement>(null)
  useReturnedFocus()
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="dialog-veil" />
        <Base.Viewport className="dialog-place">
          <Base.Popup
            ref={popup}
            className="dialog"
            style={{ width }}
            // Focus goes to the first field, else to the first action (Cancel), not to the close button.
            initialFocus={() => popup.current?.querySelector<HTMLElement>(FIRST) ?? true}
          >
            <header className="dialog-head">
              <Base.Title>{title}</Base.Title>
              <Base.Close render={<IconButton label="Close" icon="close" small />} />
            </header>
            <div className="dialog-body">{children}</div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** A dialog is closed by being removed, however that happens: focus then returns to where it was before. */
function useReturnedFocus() {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // Once the rest of the page is no longer inert.
      requestAnimationFrame(() => {
        if (before instanceof HTMLElement && document.activeElement === document.body)
          before.focus({ preventScroll: true })
      })
    },
    [before],
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>
}

/** A dialog that is filled in and then saved. */
export function FormDialog({
  title,
  width,
  save = 'Save',
  busy,
  problem = null,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  width?: number
  /** What its button says. */
  save?: string
  busy: boolean
  /** Why it cannot be saved as it is; said once somebody tries to. */
  problem?: string | null
  onSubmit: (form: FormData) => void
  onClose: () => void
  children: ReactNode
}) {
  const [tried, setTried] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(true)
    if (problem === null) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={onClose} {...(width && { width })}>
      <form className="stack" style={{ gap: 16 }} onSubmit={submit}>
        {children}
        {tried && problem !== null && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
