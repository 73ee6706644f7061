import type { ReactNode } from 'react'
import { LAST_30_DAYS, previousRange, rangeDates, rangeLabel, rangeProblem } from '../../lib/ranges.ts'
import { Checkbox } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { DateRange } from '../insights/index.ts'
import { type WebSource, WebSourceProvider } from './source.tsx'

/** The head of the page, with its range of dates, around its parts. */
export function WebFrame({
  title,
  source,
  actions,
  children,
}: {
  title: string
  source: WebSource
  actions?: ReactNode
  children: ReactNode
}) {
  const { state, zone, change } = source
  const { from = LAST_30_DAYS, to } = state
  const problem = rangeProblem({ from, to }, zone)
  return (
    <Page
      title={title}
      sub={problem ? ' ' : inWords(from, to, zone)}
      actions={
        <>
          <Checkbox
            checked={state.compare !== false}
            onChange={(event) => change({ compare: event.target.checked ? undefined : false })}
          >
            Compare with {previousRange({ from, to })}
          </Checkbox>
          <DateRange from={from} to={to} zone={zone} onChange={(begin, end) => change({ from: begin, to: end })} />
          {actions}
        </>
      }
    >
      {problem ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {problem.text}
        </EmptyState>
      ) : (
        <WebSourceProvider value={source}>{children}</WebSourceProvider>
      )}
    </Page>
  )
}

function inWords(from: string, to: string | undefined, zone: string): string {
  const [label, dates] = [rangeLabel({ from, to }, zone), rangeDates({ from, to }, zone)]
  return `${dates === null || dates === label ? label : `${label}: ${dates}`}, in ${zone}`
}
