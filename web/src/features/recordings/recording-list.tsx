import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Recording } from '../../api/contract.ts'
import { useProjectParams } from '../../api/project.tsx'
import { ago, clock, number, plural } from '../../lib/format.ts'
import { personName } from '../../lib/names.ts'
import { Avatar, Badge } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState } from '../../ui/states.tsx'
import './recording-list.css'

export const recordingName = ({ person, distinct_id }: Recording): string => (person ? personName(person) : distinct_id)

/** Recordings as a list: who, when, how long, what happened in it. */
export function RecordingList({
  recordings,
  empty,
  playlist,
  current,
  action,
}: {
  recordings: readonly Recording[]
  empty: string
  playlist?: string
  current?: string
  /** Beside each one, outside its link. */
  action?: (recording: Recording) => ReactNode
}) {
  const params = useProjectParams()
  if (recordings.length === 0)
    return (
      <EmptyState icon="recordings" title="No recordings">
        {empty}
      </EmptyState>
    )
  return (
    <ul className="recordings">
      {recordings.map((recording) => (
        <li key={recording.id} className={recording.id === current ? 'recording-current' : ''}>
          <Link
            to="/project/$projectId/recordings/$recordingId"
            params={{ ...params, recordingId: recording.id }}
            search={{ playlist }}
            className="recording-row"
            aria-current={recording.id === current ? 'true' : undefined}
          >
            <Face recording={recording} />
          </Link>
          {action?.(recording)}
        </li>
      ))}
    </ul>
  )
}

function Face({ recording }: { recording: Recording }) {
  const { viewed, click_count, keypress_count, console_error_count, recording_duration, active_seconds } = recording
  const name = recordingName(recording)
  const active = recording_duration > 0 ? Math.min(active_seconds / recording_duration, 1) : 0
  return (
    <>
      <Avatar name={name} size={32} />
      <span className="grow">
        <span className="row">
          <span className={`truncate ${viewed ? 'soft' : 'strong'}`}>{name}</span>
          {isOngoing(recording) && <Badge tone="good">live</Badge>}
          {console_error_count > 0 && <Badge tone="bad">{plural(console_error_count, 'error')}</Badge>}
        </span>
        <span className="soft tiny truncate recording-where">
          {[ago(recording.start_time), ...factsOf(recording)].join(' · ')} ·{' '}
          <span className="mono">{pathOf(recording.start_url)}</span>
        </span>
      </span>
      <span className="recording-fact">
        {number(click_count)} <span className="soft tiny">{click_count === 1 ? 'click' : 'clicks'}</span>
      </span>
      <span className="recording-fact">
        {number(keypress_count)} <span className="soft tiny">{keypress_count === 1 ? 'key' : 'keys'}</span>
      </span>
      <span className="recording-length" title={`${clock(active_seconds)} of ${clock(recording_duration)} active`}>
        <span className="row">
          {viewed && <Icon name="eye" size={14} className="faint" />}
          {viewed && <span className="unseen">watched</span>}
          {clock(recording_duration)}
        </span>
        <span className="recording-active" aria-hidden="true">
          <span style={{ width: `${active * 100}%` }} />
        </span>
      </span>
    </>
  )
}

/** Data arrived a moment ago and is recent: an old recording that was uploaded late is not live. */
const isOngoing = ({ ongoing, end_time }: Recording): boolean =>
  ongoing === true && Date.now() - Date.parse(end_time) < 5 * 60_000

/** Browser, device and country, as far as the person's events said. */
function factsOf({ person }: Recording): string[] {
  const { $browser, $os, $device_type, $geoip_country_name, $geoip_country_code } = person?.properties ?? {}
  return [$browser, $device_type ?? $os, $geoip_country_name ?? $geoip_country_code].filter(
    (fact): fact is string => typeof fact === 'string' && fact !== '',
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
