import { Link } from '@tanstack/react-router'
import type { Recording } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago, clock, plural } from '../lib/format.ts'
import { personName } from '../lib/names.ts'
import { Avatar, Badge } from '../ui/controls.tsx'
import { EmptyState } from '../ui/states.tsx'
import './recording-list.css'

/** Recordings as a list: who, when, how long, what happened in it. */
export function RecordingList({
  recordings,
  empty,
  playlist,
  current,
}: {
  recordings: readonly Recording[]
  empty: string
  playlist?: string
  current?: string
}) {
  const params = useProjectParams()
  useProject()
  if (recordings.length === 0)
    return (
      <EmptyState icon="recordings" title="No recordings">
        {empty}
      </EmptyState>
    )
  return (
    <ul className="recordings">
      {recordings.map((recording) => {
        const name = recording.person ? personName(recording.person) : recording.distinct_id
        return (
          <li key={recording.id}>
            <Link
              to="/project/$projectId/recordings/$recordingId"
              params={{ ...params, recordingId: recording.id }}
              search={(playlist ? { playlist } : {}) as never}
              className={`recording-row ${recording.id === current ? 'recording-current' : ''}`}
            >
              <Avatar name={name} size={32} />
              <span className="grow">
                <span className="row">
                  <span className={`truncate ${recording.viewed ? 'soft' : 'strong'}`}>{name}</span>
                  {recording.ongoing && <Badge tone="good">now</Badge>}
                  {recording.console_error_count > 0 && (
                    <Badge tone="bad">{plural(recording.console_error_count, 'error')}</Badge>
                  )}
                </span>
                <span className="soft tiny truncate" style={{ display: 'block' }}>
                  {ago(recording.start_time)} · {plural(recording.click_count, 'click')} · {pathOf(recording.start_url)}
                </span>
              </span>
              <span className="recording-length">
                <span>{clock(recording.recording_duration)}</span>
                <span className="soft tiny">{recording.viewed ? 'watched' : ''}</span>
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

function pathOf(url: string | null): string {
  if (!url) return 'unknown page'
  try {
    return new URL(url).pathname
  } catch {
    return url
  }
}
