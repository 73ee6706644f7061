import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './controls.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { say, sayFailure } from './toast.tsx'

/** Asks before something is deleted; the text says what is deleted with it. */
export function DeleteDialog({
  title,
  children,
  remove,
  onGone,
  onClose,
}: {
  title: string
  children: ReactNode
  remove: () => Promise<unknown>
  onGone: () => Promise<void>
  onClose: () => void
}) {
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      say('Deleted')
      await onGone()
    },
    onError: sayFailure,
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="small">{children}</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" icon="trash" busy={removal.isPending} onClick={() => removal.mutate()}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}
