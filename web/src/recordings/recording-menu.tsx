import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../api/http.ts'
import type { Recording } from '../api/types.ts'
import { useProjectParams } from '../frame/project.tsx'
import { Button, IconButton } from '../ui/controls.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { MenuItem, Popover } from '../ui/popover.tsx'
import { say, sayFailure } from '../ui/toast.tsx'
import { ShareDialog } from './share-dialog.tsx'

type Open = 'share' | 'delete' | null

/** What else can be done with a recording. */
export function RecordingMenu({ recording, path }: { recording: Recording; path: string }) {
  const client = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const unwatch = useMutation({
    mutationFn: () => ask(path, { method: 'PATCH', body: { viewed: false } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['recordings'] })
      say('Marked as not watched')
    },
    onError: sayFailure,
  })
  return (
    <>
      <Button icon="share" onClick={() => setOpen('share')}>
        Share
      </Button>
      <Popover
        label="More"
        align="right"
        width={220}
        trigger={(props) => <IconButton kind="plain" label="More" icon="more" {...props} />}
      >
        {(close) => (
          <div className="menu">
            <MenuItem
              onClick={() => {
                unwatch.mutate()
                close()
              }}
            >
              Mark as not watched
            </MenuItem>
            <a className="menu-item" href={`${path}export/`} download>
              Download as a file
            </a>
            <div className="menu-line" />
            <MenuItem
              danger
              onClick={() => {
                setOpen('delete')
                close()
              }}
            >
              Delete
            </MenuItem>
          </div>
        )}
      </Popover>
      {open === 'share' && (
        <ShareDialog
          what="recording"
          path={`session_recordings/${encodeURIComponent(recording.id)}/`}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'delete' && <DeleteDialog path={path} onClose={() => setOpen(null)} />}
    </>
  )
}

function DeleteDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const params = useProjectParams()
  const remove = useMutation({
    mutationFn: () => ask(path, { method: 'DELETE' }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['recordings'] })
      say('The recording is deleted')
      await navigate({ to: '/project/$projectId/recordings', params })
    },
    onError: sayFailure,
  })
  return (
    <Dialog title="Delete this recording?" onClose={onClose}>
      <p className="small soft">
        What was on the screen is removed for good, from playlists and public links too. The events of the visit stay.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" icon="trash" onClick={() => remove.mutate()} busy={remove.isPending}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}
