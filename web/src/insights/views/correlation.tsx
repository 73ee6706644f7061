import { useState } from 'react'
import { useDoors } from '../../doors/use-doors.ts'
import { number } from '../../lib/format.ts'
import { eventName, propertyName } from '../../lib/names.ts'
import { Segmented } from '../../ui/controls.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Node, useAnswer } from '../answer.ts'

interface Item {
  event: { event: string; properties: Record<string, unknown> }
  success_count: number
  failure_count: number
  odds_ratio: number
  correlation_type: 'success' | 'failure'
}

type Type = 'events' | 'properties'

/** Under the funnel: what those who came through did or were, more or less than those who did not. */
export function Correlation({ node }: { node: Node }) {
  const [type, setType] = useState<Type>('events')
  const question: Node = {
    kind: 'FunnelCorrelationQuery',
    source: { kind: 'FunnelsActorsQuery', source: node, funnelStep: 1 },
    funnelCorrelationType: type,
    ...(type === 'properties' ? { funnelCorrelationNames: ['$all'] } : {}),
  }
  const { data, error, isPending, refetch } = useAnswer<{ events: Item[]; skewed: boolean }>(question)
  return (
    <section className="stack" aria-label="What made the difference">
      <div className="spread">
        <div>
          <h2>What made the difference</h2>
          <p className="soft small">
            What those who came through {type === 'events' ? 'did' : 'are'}, compared with those who dropped off.
          </p>
        </div>
        <Segmented
          label="Compare by"
          value={type}
          onChange={setType}
          options={[
            { value: 'events', label: 'Events' },
            { value: 'properties', label: 'Properties' },
          ]}
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={5} height={28} />
      ) : data.results.events.length === 0 ? (
        <EmptyState icon="insights" title="Nothing stands out">
          {data.results.skewed
            ? 'Almost all, or almost none, came through: too few to compare.'
            : 'No event or property differs enough between the two.'}
        </EmptyState>
      ) : (
        <div className="odds">
          {data.results.skewed && <p className="small soft">Few people on one side: read these with care.</p>}
          {data.results.events.map((item) => (
            <Odds key={item.event.event} item={item} type={type} node={question} />
          ))}
        </div>
      )}
    </section>
  )
}

function Odds({ item, type, node }: { item: Item; type: Type; node: Node }) {
  const doors = useDoors()
  const good = item.correlation_type === 'success'
  const factor = good ? item.odds_ratio : 1 / item.odds_ratio
  const { subject, entity } = subjectOf(item, type)
  const open = (converted: boolean) =>
    doors.open({
      to: 'people',
      title: `${subject}, ${converted ? 'came through' : 'dropped off'}`,
      source: {
        kind: 'FunnelCorrelationActorsQuery',
        source: node,
        funnelCorrelationPersonConverted: converted,
        includeRecordings: true,
        ...entity,
      },
    })
  return (
    <div className="odds-row">
      <span>
        {subject} are <span className="strong">{number(Math.round(factor * 10) / 10)}×</span> as likely to{' '}
        <span style={{ color: good ? 'var(--good)' : 'var(--bad)' }}>{good ? 'come through' : 'drop off'}</span>
      </span>
      <span className="odds-bar" aria-hidden="true">
        <span
          className="odds-fill"
          style={{
            left: 0,
            width: `${Math.min(100, (Math.log2(factor + 1) / 5) * 100)}%`,
            background: good ? 'var(--good)' : 'var(--bad)',
          }}
        />
      </span>
      <span className="tiny soft">
        <button type="button" className="link-button" disabled={item.success_count === 0} onClick={() => open(true)}>
          {number(item.success_count)} through
        </button>
        {' · '}
        <button type="button" className="link-button" disabled={item.failure_count === 0} onClick={() => open(false)}>
          {number(item.failure_count)} dropped
        </button>
      </span>
    </div>
  )
}

function subjectOf({ event }: Item, type: Type): { subject: string; entity: Node } {
  if (type === 'events')
    return {
      subject: `People who did "${eventName(event.event)}"`,
      entity: { funnelCorrelationPersonEntity: { kind: 'EventsNode', event: event.event } },
    }
  const [key = '', ...rest] = event.event.split('::')
  const value = rest.join('::')
  return {
    subject: value === '' ? `People without ${propertyName(key)}` : `People with ${propertyName(key)} = ${value}`,
    entity: {
      funnelCorrelationPropertyValues: [
        { key, type: 'person', operator: value === '' ? 'is_not_set' : 'exact', value: value === '' ? null : [value] },
      ],
    },
  }
}
