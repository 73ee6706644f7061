import type { WebAnswers } from '../../api/contract.ts'
import { eventName } from '../../lib/names.ts'
import { dimmedWhile, EmptyState, ErrorState } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { csvLines, pairOf, shownColumns } from './columns.ts'
import { CsvButton } from './csv-button.tsx'
import { goalsNode, ROWS } from './nodes.ts'
import { NumberButton } from './number-button.tsx'
import { peopleSource } from './people.ts'
import { RowsSkeleton } from './rows-table.tsx'
import type { Goal } from './search.ts'
import { SortHead } from './sort-head.tsx'
import { useWebSource } from './source.tsx'

type Answer = WebAnswers['WebGoalsQuery']

const goalAt = ({ goals, results }: Answer, index: number): Goal | undefined => {
  const goal = goals[index]
  if (goal === undefined) return undefined
  return 'actionId' in goal
    ? { action: goal.actionId, name: String(results[index]?.[0]) }
    : { event: goal.customEventName }
}

const isSame = (a: Goal | undefined, b: Goal | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  ('action' in a ? 'action' in b && a.action === b.action : 'event' in b && a.event === b.event)

/** What visitors should do: actions of the project and its own events. A goal makes every table tell its conversion rate. */
export function Goals() {
  const { state } = useWebSource()
  const { data, error, isPlaceholderData, refetch } = usePart(goalsNode(state))
  return (
    <section className="card web-card" aria-label="Goals">
      <header className="card-head">
        <h2>Goals</h2>
      </header>
      <div {...dimmedWhile(isPlaceholderData, 'web-body')}>
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : !data ? (
          <RowsSkeleton rows={ROWS} />
        ) : data.results.length === 0 ? (
          <EmptyState icon="flag" title="No goals yet">
            Send an event when a visitor does what you hope for, or make an action of it. It appears here.
          </EmptyState>
        ) : (
          <GoalRows answer={data} />
        )}
      </div>
      <footer className="web-foot">
        <span className="grow tiny soft">Choose a goal to see its rate in every table</span>
        <CsvButton
          of="goals"
          file="Goals"
          disabled={!data}
          lines={() => (data ? csvLines('Goal', data.results, data.columns, (row) => String(row[0])) : [])}
        />
      </footer>
    </section>
  )
}

function GoalRows({ answer }: { answer: Answer }) {
  const { state, change } = useWebSource()
  const columns = shownColumns(answer.columns)
  return (
    <table className="web-table">
      <caption className="unseen">Goals</caption>
      <thead>
        <tr>
          <th scope="col">Goal</th>
          {columns.map(({ name, label, about, minor }) => (
            <SortHead key={name} on="goals" {...{ name, label, about, minor }} columns={columns.map((it) => it.name)} />
          ))}
        </tr>
      </thead>
      <tbody>
        {answer.results.slice(0, ROWS).map((row, index) => {
          const goal = goalAt(answer, index)
          const chosen = isSame(goal, state.goal)
          const name = goal && 'event' in goal ? eventName(goal.event) : String(row[0])
          const [rate] = pairOf(row, 3)
          return (
            <tr key={JSON.stringify(goal)} className={chosen ? 'web-chosen' : ''}>
              <th scope="row">
                <span className="web-bar" style={{ width: `${Math.min(1, rate ?? 0) * 100}%` }} />
                <button
                  type="button"
                  className="web-name truncate"
                  title={name}
                  aria-pressed={chosen}
                  onClick={() => change({ goal: chosen ? undefined : goal })}
                >
                  {name}
                </button>
              </th>
              {columns.map(({ name: column, label, format, minor, at }) => (
                <NumberButton
                  key={column}
                  minor={minor}
                  text={format(pairOf(row, at)[0])}
                  about={`${label.toLowerCase()}, ${name}`}
                  behind={goal && pairOf(row, 1)[0] ? { title: name, source: peopleSource(state, { goal }) } : null}
                />
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
