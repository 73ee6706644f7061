import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { IngestionWarning } from '../../api/contract.ts'
import { useProject } from '../../api/project.tsx'
import { warnings } from '../../api/queries.ts'
import { ago, dateTime, plural } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'

/** Everything that was dropped or changed, one entry for each reason. */
export function Problems({ search }: { search: string }) {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery({ ...warnings(project.id), refetchInterval: 5_000 })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={5} height={44} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="check" title="Nothing was dropped or changed">
        Every event so far was stored as it was sent.
      </EmptyState>
    )
  const wanted = search.trim().toLowerCase()
  const shown = data.results.filter((warning) =>
    `${titleOf(warning)} ${warning.happened ?? ''} ${warning.samples.map(({ event, distinct_id }) => `${event} ${distinct_id}`).join(' ')}`
      .toLowerCase()
      .includes(wanted),
  )
  if (shown.length === 0) return <EmptyState icon="search" title="No matches" />
  return (
    <ul className="stream" aria-label="Dropped and changed">
      {shown.map((warning) => (
        <Problem key={warning.type} warning={warning} zone={project.timezone} />
      ))}
    </ul>
  )
}

const titleOf = ({ title, type }: IngestionWarning): string => title ?? type.replaceAll('_', ' ')

function Problem({ warning, zone }: { warning: IngestionWarning; zone: string }) {
  const [open, setOpen] = useState(false)
  return (
    <li className="stream-item stream-warn">
      <button type="button" className="stream-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="grow truncate stream-name">{titleOf(warning)}</span>
        <span className="soft small">{plural(warning.count, 'time')}</span>
        <span className="soft small live-last">last {ago(warning.last_seen)}</span>
        <Icon name={open ? 'down' : 'right'} size={14} className="faint" />
      </button>
      {(warning.happened || warning.fix) && (
        <div className="stream-reason stream-reason-flat">
          <p>{warning.happened}</p>
          <p className="stream-fix">{warning.fix}</p>
        </div>
      )}
      {open && (
        <ul className="stream-samples" aria-label="Latest samples">
          {warning.samples.slice(0, 10).map((sample) => (
            <li
              key={`${sample.timestamp}${sample.uuid}${sample.event}${JSON.stringify(sample.details)}`}
              className="row-wrap small"
            >
              <time className="soft">{dateTime(sample.timestamp, zone)}</time>
              <span>{sample.event ?? '(no name)'}</span>
              <span className="soft truncate">{sample.distinct_id ?? '(no distinct id)'}</span>
              <span className="soft mono tiny">
                {Object.keys(sample.details).length > 0 ? JSON.stringify(sample.details) : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
