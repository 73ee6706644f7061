import { useQuery } from '@tanstack/react-query'
import type { InstanceStatus } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ago, bytes, dateTime, number, plural, timeOnly } from '../../lib/format.ts'
import { Badge, IconButton } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { HeldBackCard } from './held-back.tsx'
import './status.css'

type Status = InstanceStatus['status']

const EVERY_MS = 5_000

/** What `footfall doctor` and `footfall status` say, asked again every few seconds. */
export function StatusSettings() {
  const { data, error, isPending, isFetching, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => ask<InstanceStatus>('/api/instance_status/', { signal }),
    refetchInterval: EVERY_MS,
  })
  const { timezone } = useProject()
  const broken = data?.findings.filter(({ ok }) => !ok).length ?? 0
  return (
    <>
      <Card
        title="System status"
        action={
          <span className="row">
            {dataUpdatedAt > 0 && (
              <span className="soft tiny">
                checked {timeOnly(dataUpdatedAt, timezone)} {timezone}
              </span>
            )}
            <IconButton small label="Check again" icon="refresh" disabled={isFetching} onClick={() => refetch()} />
          </span>
        }
      >
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={6} />
        ) : (
          <>
            <div>
              <Badge tone={broken === 0 ? 'good' : 'bad'}>
                {broken === 0 ? 'all checks passed' : `${plural(broken, 'check')} failed`}
              </Badge>
            </div>
            <ul className="checks">
              {data.findings.map(({ check, ok, detail }) => (
                <li key={check} className={`check ${ok ? '' : 'check-bad'}`}>
                  <Icon name={ok ? 'check' : 'alert'} size={16} />
                  <span className="check-name">
                    <span className="unseen">{ok ? 'Passed: ' : 'Failed: '}</span>
                    {check}
                  </span>
                  <span className="soft">{detail}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Card>
      {data && <Facts status={data.status} />}
      {data && <HeldBackCard entries={data.status.held_back} />}
    </>
  )
}

function Facts({ status }: { status: Status }) {
  const project = useProject()
  const { pipeline, log } = status
  const facts: [string, string][] = [
    ['Address', status.url],
    [
      'Running since',
      `${dateTime(status.started_at, project.timezone)} ${project.timezone}, ${ago(status.started_at)}`,
    ],
    ['Process', `${status.pid}${status.version ? `, version ${status.version}` : ''}`],
    ['Roles', status.roles.join(', ')],
    ['Data folder', status.data],
    ['PostgreSQL', engineWords(status.postgres)],
    ['ClickHouse', engineWords(status.clickhouse)],
    [
      'Event log',
      log
        ? `${log.writable ? 'accepting events' : `not accepting events: ${log.reason ?? 'no reason given'}`}, ${bytes(log.backlog_bytes)} of ${bytes(log.backlog_limit_bytes)} waiting`
        : 'not in this process',
    ],
    [
      'Pipeline',
      pipeline
        ? `${pipeline.running ? 'running' : 'stopped'}, ${plural(pipeline.inserts_owed_to_clickhouse, 'insert')} pending`
        : 'not in this process',
    ],
    ['Queries', questionWords(status.questions)],
    ['Dead letters', status.dead_letters === 0 ? 'none' : `${number(status.dead_letters)}, kept for repair`],
  ]
  return (
    <Card title="Details">
      <dl className="status-facts">
        {facts.map(([name, value]) => (
          <div key={name} className="status-fact">
            <dt className="soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="small soft">
        The same in a terminal: <code>npx footfall doctor</code> and <code>npx footfall status</code>. For Prometheus:{' '}
        <a href="/metrics">metrics</a>.
      </p>
    </Card>
  )
}

const engineWords = ({ embedded, state, restarts }: Status['postgres']): string =>
  embedded ? `embedded, ${state}${restarts ? `, restarted ${plural(restarts, 'time')}` : ''}` : 'external server'

function questionWords(questions: Status['questions']): string {
  if (questions === null) return 'not in this process'
  const { running, waiting, refused, overran } = questions
  return `${number(running)} running, ${number(waiting)} waiting; ${number(refused)} refused and ${number(overran)} ended for running too long since the start`
}
