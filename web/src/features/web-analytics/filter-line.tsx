import { plural } from '../../lib/format.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import { usePart } from './ask.ts'
import { DIMENSIONS, valueName } from './dimensions.ts'
import { overviewNode } from './nodes.ts'
import { useWebSource } from './source.tsx'

/** What the page is narrowed to, each part with a way to take it back; and the bots that were left out. */
export function FilterLine() {
  const { state, change } = useWebSource()
  const { filters = [], goal } = state
  return (
    <div className="web-filters">
      {filters.length + (goal ? 1 : 0) > 0 && (
        <ul className="row-wrap" aria-label="Filters">
          {filters.map(({ on, is }) => (
            <Chip
              key={on}
              name={DIMENSIONS[on].one}
              value={valueName(on, is)}
              onRemove={() => change({ filters: filters.filter((each) => each.on !== on) })}
            />
          ))}
          {goal && (
            <Chip
              name="Goal"
              value={'action' in goal ? goal.name : goal.event}
              onRemove={() => change({ goal: undefined })}
            />
          )}
          {filters.length + (goal ? 1 : 0) > 1 && (
            <li>
              <Button small kind="quiet" onClick={() => change({ filters: undefined, goal: undefined })}>
                Clear all
              </Button>
            </li>
          )}
        </ul>
      )}
      <BotsLine />
    </div>
  )
}

function Chip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <li className="web-chip small">
      <span className="soft">{name}</span>
      <span className="truncate strong" title={value}>
        {value}
      </span>
      <IconButton small label={`Remove ${name}: ${value}`} icon="close" onClick={onRemove} />
    </li>
  )
}

function BotsLine() {
  const { state, change } = useWebSource()
  const { data } = usePart(overviewNode(state), { lane: 'figures' })
  if (state.bots)
    return (
      <p className="web-bots small soft">
        {state.bots === 'only' ? 'Only bots are shown.' : 'Bots are included.'}
        <Button small kind="quiet" onClick={() => change({ bots: undefined })}>
          Hide bots
        </Button>
        <Button small kind="quiet" onClick={() => change({ bots: state.bots === 'only' ? 'include' : 'only' })}>
          {state.bots === 'only' ? 'Show everybody' : 'Only bots'}
        </Button>
      </p>
    )
  const hidden = data?.hidden_bots?.sessions ?? 0
  return (
    <p className="web-bots small soft">
      {hidden > 0 ? `${plural(hidden, 'bot visit')} hidden` : data ? 'No bot visits in this period' : '\u00a0'}
      {hidden > 0 && (
        <>
          <Button small kind="quiet" onClick={() => change({ bots: 'include' })}>
            Show them
          </Button>
          <Button small kind="quiet" onClick={() => change({ bots: 'only' })}>
            Only bots
          </Button>
        </>
      )}
    </p>
  )
}
