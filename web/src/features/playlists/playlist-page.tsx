import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Playlist, Recording } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { playlist as playlistQuery, playlistRecordings } from '../../api/queries.ts'
import { plural } from '../../lib/format.ts'
import { Button, IconButton, TextField } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { ToggleButton } from '../../ui/toggle-button.tsx'
import { RecordingList, recordingName, ShareDialog } from '../recordings/index.ts'

export function PlaylistPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { shortId = '' } = useParams({ strict: false })
  const [open, setOpen] = useState<'edit' | 'share' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const { data: playlist, error, refetch } = useQuery(playlistQuery(project.id, shortId))
  const content = useQuery(playlistRecordings(project.id, shortId))
  const keep = async (fields: Partial<Playlist>) => {
    const path = inProject(project.id, `session_recording_playlists/${shortId}/`)
    await ask<Playlist>(path, { method: 'PATCH', body: fields })
    await Promise.all(['playlist', 'playlists'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  }
  const change = useMutation({
    mutationFn: keep,
    onSuccess: async (_, fields) => {
      setOpen(null)
      if (fields.deleted) {
        say('Deleted')
        await navigate({ to: '/project/$projectId/playlists', params })
      }
    },
    onError: sayFailure,
  })
  const take = useMutation({
    mutationFn: ({ id }: Recording) =>
      ask(inProject(project.id, `session_recording_playlists/${shortId}/recordings/${encodeURIComponent(id)}/`), {
        method: 'DELETE',
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['playlist-recordings'] })
      say('Removed from the playlist')
    },
    onError: sayFailure,
  })
  if (error)
    return (
      <Page title="Playlist">
        <ErrorState error={error} retry={() => refetch()} />
      </Page>
    )
  if (!playlist)
    return (
      <Page title="Playlist">
        <SkeletonRows rows={6} height={36} />
      </Page>
    )
  const first = content.data?.results[0]
  const collected = playlist.recordings_counts.collection.count > 0
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate({ name: String(form.get('name')), description: String(form.get('description')) })
  }
  return (
    <Page
      title={playlist.name || playlist.derived_name || 'Untitled'}
      sub={
        content.data
          ? `${plural(content.data.results.length, 'recording')}${playlist.description ? ` · ${playlist.description}` : ''}`
          : playlist.description || ' '
      }
      actions={
        <>
          <ToggleButton
            on={playlist.pinned}
            labels={{ on: 'Unpin', off: 'Pin' }}
            icon="star"
            change={(pinned) => keep({ pinned })}
          />
          <Button icon="edit" onClick={() => setOpen('edit')}>
            Rename
          </Button>
          <Button icon="share" onClick={() => setOpen('share')}>
            Share
          </Button>
          <IconButton kind="plain" label="Delete playlist" icon="trash" onClick={() => setOpen('delete')} />
          {first && (
            <Link
              to="/project/$projectId/recordings/$recordingId"
              params={{ ...params, recordingId: first.id }}
              search={{ playlist: shortId }}
              className="button button-primary"
            >
              <Icon name="recordings" size={16} /> Play all
            </Link>
          )}
        </>
      }
    >
      {content.error ? (
        <ErrorState error={content.error} retry={() => content.refetch()} />
      ) : content.isPending ? (
        <SkeletonRows rows={6} height={36} />
      ) : (
        <RecordingList
          recordings={content.data.results}
          playlist={shortId}
          {...(collected ? { action: (recording) => <TakeOut recording={recording} onTake={take.mutate} /> } : {})}
          empty="Add a recording from its page, or save the people behind a number as a playlist."
        />
      )}
      {open === 'edit' && (
        <Dialog title="Name and description" onClose={close}>
          <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
            <TextField label="Name" name="name" defaultValue={playlist.name ?? ''} maxLength={400} autoFocus />
            <TextField label="Description" name="description" defaultValue={playlist.description} />
            <DialogActions>
              <Button kind="primary" type="submit" busy={change.isPending}>
                Save
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
      {open === 'share' && (
        <ShareDialog what="playlist" path={`session_recording_playlists/${shortId}/`} onClose={close} />
      )}
      {open === 'delete' && (
        <Dialog title="Delete this playlist?" onClose={close}>
          <p className="small soft">Its public links stop working. The recordings are kept.</p>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button kind="danger" icon="trash" onClick={() => change.mutate({ deleted: true })} busy={change.isPending}>
              Delete
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Page>
  )
}

/** Only recordings that were added by hand can be removed. */
function TakeOut({ recording, onTake }: { recording: Recording; onTake: (recording: Recording) => void }) {
  return (
    <IconButton
      small
      icon="close"
      label={`Remove ${recordingName(recording)} from the playlist`}
      onClick={() => onTake(recording)}
    />
  )
}
