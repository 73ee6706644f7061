import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Playlist } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { playlists } from '../../api/queries.ts'
import { ago, number } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Column } from '../../ui/table.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { ListPage } from '../lists/index.ts'

export function PlaylistsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const open = ({ short_id }: Playlist) =>
    void navigate({ to: '/project/$projectId/playlists/$shortId', params: { ...params, shortId: short_id } })
  const create = useMutation({
    mutationFn: () =>
      ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), { body: { name: 'New playlist' } }),
    onSuccess: (playlist) => {
      void client.invalidateQueries({ queryKey: ['playlists'] })
      open(playlist)
    },
    onError: sayFailure,
  })
  return (
    <ListPage
      title="Playlists"
      sub="Collections of recordings."
      actions={
        <Button kind="primary" icon="plus" onClick={() => create.mutate()} busy={create.isPending}>
          New playlist
        </Button>
      }
      icon="playlists"
      empty="Open the people behind a number and save their recordings as a playlist."
      ask={(search) => playlists(project.id, { limit: 200, search })}
      columns={COLUMNS}
      rowKey={({ short_id }) => short_id}
      link={({ short_id: shortId }) => (
        <Link to="/project/$projectId/playlists/$shortId" params={{ ...params, shortId }} />
      )}
    />
  )
}

/** Of what was added or, when nothing was, of what the filters match: the recordings that the playlist shows. */
const countsOf = ({ recordings_counts: { collection, saved_filters } }: Playlist) =>
  collection.count > 0 ? collection : saved_filters
const countOf = (playlist: Playlist): number | null => countsOf(playlist).count ?? null
const watchedOf = (playlist: Playlist): number => countsOf(playlist).watched_count ?? 0

const COLUMNS: Column<Playlist>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '24%',
    cell: ({ name, derived_name, pinned }) => (
      <span className="row">
        <Icon name={pinned ? 'star' : 'playlists'} size={16} className={pinned ? 'favourite' : 'faint'} />
        {pinned && <span className="unseen">pinned</span>}
        <span className="truncate">{name || derived_name || 'Untitled'}</span>
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    spare: true,
    cell: ({ description }) => <span className="soft">{description}</span>,
  },
  { id: 'count', header: 'Recordings', align: 'right', width: '104px', cell: (playlist) => number(countOf(playlist)) },
  {
    id: 'watched',
    header: 'Watched',
    align: 'right',
    width: '92px',
    spare: true,
    cell: (playlist) => number(watchedOf(playlist)),
  },
  {
    id: 'by',
    header: 'By',
    width: '112px',
    spare: true,
    cell: ({ created_by }) => userName(created_by),
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    width: '112px',
    spare: true,
    cell: ({ last_modified_at }) => ago(last_modified_at),
  },
]
