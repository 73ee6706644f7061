import { useState } from 'react'
import type { CorrelationResult } from '../../../api/contract.ts'
import { number, percent } from '../../../lib/format.ts'
import type { Json } from '../../../lib/json.ts'
import { eventName, propertyName } from '../../../lib/names.ts'
import { Segmented } from '../../../ui/controls.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import { type Node, useAnswer } from '../answer.ts'
import { howLikely, likelihood, type Outcomes } from './likelihood.ts'
import { LEAST_PEOPLE, worthTelling } from './worth-telling.ts'
import './correlation.css'

type Item = CorrelationResult['events'][number]

type Type = 'events' | 'properties'

/** Under the funnel: which events and properties go with converting or dropping off. */
export function Correlation({ node }: { node: Node<'FunnelsQuery'> }) {
  const [type, setType] = useState<Type>('events')
  const question: Node<'FunnelCorrelationQuery'> = {
    kind: 'FunnelCorrelationQuery',
    source: { kind: 'FunnelsActorsQuery', source: node, funnelStep: 1 },
    funnelCorrelationType: type,
    ...(type === 'properties' ? { funnelCorrelationNames: ['$all'] } : {}),
  }
  const { data, error, isPending, isPlaceholderData, refetch } = useAnswer(question)
  const findings = data ? worthTelling(data.answer.results.events, data.answer.totals, type === 'properties') : []
  return (
    <section className="difference" aria-label="What made the difference">
      <header className="difference-head">
        <div>
          <h2>What made the difference</h2>
          <p className="soft small">
            What people who converted {type === 'events' ? 'did' : 'have in common'}, compared with people who dropped
            off. Findings about fewer than {LEAST_PEOPLE} people are left out.
            {data?.answer.results.skewed && ' One group is small, so read this with care.'}
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
      </header>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending || isPlaceholderData ? (
        <Rows>
          {[0, 1, 2, 3, 4, 5].map((row) => (
            <tr key={row}>
              <td colSpan={4}>
                <Skeleton width={`${70 - row * 6}%`} />
              </td>
            </tr>
          ))}
        </Rows>
      ) : findings.length === 0 ? (
        <EmptyState icon="insights" title="Nothing stands out">
          {data.answer.results.skewed
            ? 'Almost everyone or almost nobody converted: too few people to compare.'
            : 'No event or property differs enough between the two groups.'}
        </EmptyState>
      ) : (
        <Rows>
          {findings.map((item) => (
            <Odds key={item.event.event} item={item} type={type} node={question} totals={data.answer.totals} />
          ))}
        </Rows>
      )}
    </section>
  )
}

function Rows({ children }: { children: React.ReactNode }) {
  return (
    <div className="table-box">
      <table className="table odds">
        <caption className="unseen">What made the difference</caption>
        <thead>
          <tr>
            <th scope="col">Finding</th>
            <th scope="col" className="odds-column" title={WHAT_ODDS_ARE}>
              Odds ratio
            </th>
            <th scope="col" className="table-right">
              Converted
            </th>
            <th scope="col" className="table-right">
              Dropped off
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

const WHAT_ODDS_ARE = 'Odds of converting with it, divided by the odds without it. 1 means no difference.'

function Odds({ item, type, node, totals }: { item: Item; type: Type; node: Node; totals: Outcomes }) {
  const panels = usePanels()
  const good = item.correlation_type === 'success'
  const factor = good ? item.odds_ratio : 1 / item.odds_ratio
  const { subject, entity } = subjectOf(item, type)
  const open = (converted: boolean) =>
    panels.open({
      to: 'people',
      title: `${subject}, ${converted ? 'converted' : 'dropped off'}`,
      source: {
        kind: 'FunnelCorrelationActorsQuery',
        source: node,
        funnelCorrelationPersonConverted: converted,
        includeRecordings: true,
        ...entity,
      },
    })
  return (
    <tr className="odds-row">
      <td className="odds-words">
        {subject} <Likely item={item} totals={totals} good={good} />
      </td>
      <td className="odds-column" title={WHAT_ODDS_ARE}>
        <span className="row">
          <span className="odds-number">{number(Math.round(item.odds_ratio * 100) / 100)}</span>
          <span className="odds-bar grow" aria-hidden="true">
            <span
              className={`odds-fill ${good ? '' : 'odds-fill-bad'}`}
              style={{ width: `${Math.min(100, (Math.log2(factor + 1) / 5) * 100)}%` }}
            />
          </span>
        </span>
      </td>
      <td className="table-right">
        <Count count={item.success_count} label={`${subject}, converted`} open={() => open(true)} />
      </td>
      <td className="table-right">
        <Count count={item.failure_count} label={`${subject}, dropped off`} open={() => open(false)} />
      </td>
    </tr>
  )
}

/** The two shares and their ratio. */
function Likely({ item, totals, good }: { item: Item; totals: Outcomes; good: boolean }) {
  const ofThem = { success: item.success_count, failure: item.failure_count }
  const outcome = <span className={good ? 'odds-good' : 'odds-bad'}>{good ? 'convert' : 'drop off'}</span>
  const { withIt, without, times } = likelihood(ofThem, totals, good ? 'success' : 'failure')
  const shares = `: ${percent(withIt ?? 0)} of them did, ${percent(without ?? 0)} of the others`
  if (times === null)
    return (
      <>
        {outcome}
        {shares}
      </>
    )
  return (
    <>
      are <span className="strong">{howLikely(times)}</span> to {outcome}
      {shares}
    </>
  )
}

function Count({ count, label, open }: { count: number; label: string; open: () => void }) {
  return (
    <button
      type="button"
      className="link-button"
      disabled={count === 0}
      aria-label={`${number(count)}: ${label}`}
      onClick={open}
    >
      {number(count)}
    </button>
  )
}

function subjectOf({ event }: Item, type: Type): { subject: string; entity: { [key: string]: Json } } {
  if (type === 'events')
    return {
      subject: `People who did “${eventName(event.event)}”`,
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
