import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Recording } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProjectParams } from '../../api/project.tsx'
import { Button } from '../../ui/controls.tsx'
import { DeleteDialog } from '../../ui/delete-dialog.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { say } from '../../ui/toast.tsx'
import { ShareDialog } from './share-dialog.tsx'

type Open = 'share' | 'delete' | null

/** What else can be done with a recording. */
export function RecordingMenu({
  recording,
  path,
  setWatched,
}: {
  recording: Recording
  path: string
  setWatched: (now: boolean) => Promise<unknown>
}) {
  const [open, setOpen] = useState<Open>(null)
  const mark = (now: boolean) =>
    setWatched(now).then(
      () => say(now ? 'Marked as watched' : 'Marked as not watched'),
      () => {},
    )
  return (
    <>
      <Button icon="share" onClick={() => setOpen('share')}>
        Share
      </Button>
      <MoreMenu
        items={[
          {
            icon: 'eye',
            label: recording.viewed ? 'Mark as not watched' : 'Mark as watched',
            does: () => mark(!recording.viewed),
          },
          { icon: 'download', label: 'Download as a file', does: { download: `${path}export/` } },
          { icon: 'trash', label: 'Delete', does: () => setOpen('delete'), danger: true },
        ]}
      />
      {open === 'share' && (
        <ShareDialog
          what="recording"
          path={`session_recordings/${encodeURIComponent(recording.id)}/`}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'delete' && <DeleteRecording path={path} onClose={() => setOpen(null)} />}
    </>
  )
}

function DeleteRecording({ path, onClose }: { path: string; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const params = useProjectParams()
  return (
    <DeleteDialog
      title="Delete this recording?"
      remove={() => ask(path, { method: 'DELETE' })}
      onGone={async () => {
        await client.invalidateQueries({ queryKey: ['recordings'] })
        await navigate({ to: '/project/$projectId/recordings', params })
      }}
      onClose={onClose}
    >
      The recording is permanently deleted, also from playlists and public links. Its events are kept.
    </DeleteDialog>
  )
}
