import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { LAST_30_DAYS, previousRange, rangeDates, rangeLabel, rangeProblem } from '../../lib/ranges.ts'
import { Checkbox } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { DateRange } from '../insights/index.ts'
import { usePanels } from '../panels/index.ts'
import { NoVisits, useNoVisits } from './no-visits.tsx'
import { type WebSource, WebSourceProvider } from './source.tsx'
import { WebView } from './web-view.tsx'

const HERE = '/project/$projectId/web'

/** Who came, from where, to see what: one page, readable at once. */
export function WebPage() {
  const project = useProject()
  const navigate = useNavigate({ from: HERE })
  const state = useSearch({ from: HERE })
  const panels = usePanels()
  const { from = LAST_30_DAYS, to } = state
  const zone = project.timezone
  const problem = rangeProblem({ from, to }, zone)
  const source: WebSource = useMemo(
    () => ({
      url: inProject(project.id, 'web_analytics/'),
      zone,
      projectId: String(project.id),
      state,
      change: (next, { replace = false } = {}) =>
        void navigate({
          search: (was) => ({ ...was, ...next, ...(next.filters?.length === 0 ? { filters: undefined } : {}) }),
          resetScroll: false,
          replace,
        }),
      open: panels.open,
    }),
    [project.id, zone, state, navigate, panels.open],
  )
  return (
    <Page
      title="Web analytics"
      sub={problem ? ' ' : inWords(from, to, zone)}
      actions={
        <>
          <Checkbox
            checked={state.compare !== false}
            onChange={(event) => source.change({ compare: event.target.checked ? undefined : false })}
          >
            Compare with {previousRange({ from, to })}
          </Checkbox>
          <DateRange
            from={from}
            to={to}
            zone={zone}
            onChange={(begin, end) => source.change({ from: begin, to: end })}
          />
        </>
      }
    >
      {problem ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {problem.text}
        </EmptyState>
      ) : (
        <WebSourceProvider value={source}>
          <Parts />
        </WebSourceProvider>
      )}
    </Page>
  )
}

const Parts = () => (useNoVisits() ? <NoVisits /> : <WebView />)

function inWords(from: string, to: string | undefined, zone: string): string {
  const [label, dates] = [rangeLabel({ from, to }, zone), rangeDates({ from, to }, zone)]
  return `${dates === null || dates === label ? label : `${label}: ${dates}`}, in ${zone}`
}
