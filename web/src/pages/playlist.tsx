import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { playlist as playlistQuery, playlistRecordings } from '../api/queries.ts'
import type { Playlist } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { plural } from '../lib/format.ts'
import { RecordingList } from '../recordings/recording-list.tsx'
import { Button, IconButton, TextField } from '../ui/controls.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { say, sayFailure } from '../ui/toast.tsx'

export function PlaylistPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { shortId = '' } = useParams({ strict: false })
  const [editing, setEditing] = useState(false)
  const { data: playlist, error, refetch } = useQuery(playlistQuery(project.id, shortId))
  const content = useQuery(playlistRecordings(project.id, shortId))
  const change = useMutation({
    mutationFn: (fields: Partial<Playlist>) =>
      ask<Playlist>(inProject(project.id, `session_recording_playlists/${shortId}/`), {
        method: 'PATCH',
        body: fields,
      }),
    onSuccess: async (_, fields) => {
      setEditing(false)
      await Promise.all([
        client.invalidateQueries({ queryKey: ['playlist'] }),
        client.invalidateQueries({ queryKey: ['playlists'] }),
      ])
      if (fields.deleted) {
        say('Deleted')
        await navigate({ to: '/project/$projectId/playlists', params })
      }
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate({ name: String(form.get('name')), description: String(form.get('description')) })
  }
  return (
    <Page
      title={playlist.name || playlist.derived_name || 'Untitled'}
      sub={playlist.description || (content.data ? plural(content.data.results.length, 'recording') : ' ')}
      actions={
        <>
          <IconButton
            label={playlist.pinned ? 'Unpin' : 'Pin'}
            icon="star"
            className={playlist.pinned ? 'favourite' : ''}
            aria-pressed={playlist.pinned}
            onClick={() => change.mutate({ pinned: !playlist.pinned })}
          />
          <Button icon="edit" onClick={() => setEditing(true)}>
            Rename
          </Button>
          <Button kind="danger" icon="trash" onClick={() => change.mutate({ deleted: true })}>
            Delete
          </Button>
          {first && (
            <Link
              to="/project/$projectId/recordings/$recordingId"
              params={{ ...params, recordingId: first.id }}
              search={{ playlist: shortId } as never}
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
          empty="Open a recording and add it here, or save the people behind a number."
        />
      )}
      {editing && (
        <Dialog title="Name and description" onClose={() => setEditing(false)}>
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
    </Page>
  )
}
