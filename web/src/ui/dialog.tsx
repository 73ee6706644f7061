import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { Button, IconButton } from './controls.tsx'
import './dialog.css'

const FIELDS = ['input', 'textarea', 'select'].map((field) => `.dialog-body ${field}:enabled`)
const FIRST = [...FIELDS, '.dialog-actions button:enabled'].join(', ')

/** A question in the way of everything else. The browser keeps the focus in it, and Esc closes it. */
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
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open) return
    dialog.showModal()
    // The browser would take the cross. What is asked for comes first, or the way out that changes nothing.
    dialog.querySelector<HTMLElement>(FIRST)?.focus()
  }, [])
  return (
    <dialog
      ref={ref}
      className="dialog"
      style={{ width }}
      aria-label={title}
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header className="dialog-head">
        <h2>{title}</h2>
        <IconButton label="Close" icon="close" small onClick={() => ref.current?.close()} />
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
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
  onSubmit,
  onClose,
  children,
}: {
  title: string
  width?: number
  /** What its button says. */
  save?: string
  busy: boolean
  onSubmit: (form: FormData) => void
  onClose: () => void
  children: ReactNode
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={onClose} {...(width && { width })}>
      <form className="stack" style={{ gap: 16 }} onSubmit={submit}>
        {children}
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
