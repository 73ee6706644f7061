import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Playlist } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { playlists } from '../../api/queries.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'

const playlistName = ({ name, derived_name }: Playlist): string => name || derived_name || 'Untitled'

/** The playlists, with those ticked that the recording is in; a new one is made by typing its name. */
export function AddToPlaylist({ recordingId }: { recordingId: string }) {
  return (
    <Popover
      label="Playlists"
      align="right"
      width={300}
      trigger={(props) => (
        <Button icon="playlists" {...props}>
          Add to playlist
        </Button>
      )}
    >
      {() => <Choices recordingId={recordingId} />}
    </Popover>
  )
}

function Choices({ recordingId }: { recordingId: string }) {
  const project = useProject()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const all = useQuery(playlists(project.id, { limit: 100 }))
  const containing = useQuery(playlists(project.id, { limit: 100, session_recording_id: recordingId }))
  const within = new Set(containing.data?.results.map(({ short_id }) => short_id))
  const path = (shortId: string) =>
    inProject(project.id, `session_recording_playlists/${shortId}/recordings/${encodeURIComponent(recordingId)}/`)
  const done = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['playlists'] }),
      client.invalidateQueries({ queryKey: ['playlist-recordings'] }),
    ])
  const toggle = useMutation({
    mutationFn: async (playlist: Playlist) => {
      const isIn = within.has(playlist.short_id)
      await ask(path(playlist.short_id), { method: isIn ? 'DELETE' : 'POST' })
      await done()
      say(`${isIn ? 'Removed from' : 'Added to'} ${playlistName(playlist)}`)
    },
    onError: sayFailure,
  })
  const create = useMutation({
    mutationFn: async (wanted: string) => {
      const made = await ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), {
        body: { name: wanted },
      })
      await ask(path(made.short_id), { method: 'POST' })
      await done()
      setName('')
      say(`Added to ${wanted}`)
    },
    onError: sayFailure,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') create.mutate(name.trim())
  }
  if (all.error) return <ErrorState error={all.error} />
  if (all.isPending || containing.isPending) return <SkeletonRows rows={3} />
  return (
    <div className="menu">
      <div className="playlist-choices">
        {all.data.results.map((playlist) => (
          <button
            key={playlist.short_id}
            type="button"
            className="menu-item"
            aria-pressed={within.has(playlist.short_id)}
            disabled={toggle.isPending}
            onClick={() => toggle.mutate(playlist)}
          >
            <span className="grow truncate">{playlistName(playlist)}</span>
            {within.has(playlist.short_id) && <Icon name="check" size={15} />}
          </button>
        ))}
        {all.data.results.length === 0 && <p className="picker-none">There are no playlists yet.</p>}
      </div>
      <form className="playlist-new" onSubmit={submit}>
        <input
          className="input"
          aria-label="Name of a new playlist"
          placeholder="New playlist"
          maxLength={400}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" icon="plus" busy={create.isPending} disabled={name.trim() === ''} aria-label="Create" />
      </form>
    </div>
  )
}
