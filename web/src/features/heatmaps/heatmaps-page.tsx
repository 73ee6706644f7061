import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { HeatmapPages } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { heatmapPages } from '../../api/queries.ts'
import { number } from '../../lib/format.ts'
import { rangeProblem } from '../../lib/ranges.ts'
import { LAST_7_DAYS } from '../../lib/usual-ranges.ts'
import { Button, Checkbox, Segmented, Select } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { DateRange } from '../insights/index.ts'
import { PageHeat } from './page-heat.tsx'
import { BAND_WIDTHS, datesOf, pageName, TYPE_NAMES } from './question.ts'
import { BANDS, type Band, type HeatmapSearch, TYPES } from './search.ts'
import './heatmaps.css'

const MOST_PAGES = 200

/** Where people click on a page, drawn over the page itself out of a recording. */
export function HeatmapsPage() {
  const project = useProject()
  const navigate = useNavigate({ from: '/project/$projectId/heatmaps' })
  const search = useSearch({ from: '/project/$projectId/heatmaps' })
  const change = (next: Partial<HeatmapSearch>) =>
    void navigate({ search: (was) => ({ ...was, ...next }), replace: true, resetScroll: false })
  const { from = LAST_7_DAYS, to } = search
  const dates = rangeProblem({ from, to }, project.timezone)
  const { data, error, isPending, refetch } = useQuery({
    ...heatmapPages(project.id, { ...datesOf(search), limit: MOST_PAGES }),
    enabled: !dates,
  })
  const page = search.page ?? data?.results[0]?.url
  return (
    <Page title="Heatmaps" sub="Where visitors click, move the mouse and how far they scroll">
      <Bar search={search} page={page} pages={data?.results ?? []} loading={isPending && !dates} onChange={change} />
      {dates ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {dates.text}
        </EmptyState>
      ) : error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <Skeleton height="60vh" radius={8} />
      ) : page === undefined ? (
        <NoPages optedIn={project.heatmaps_opt_in} />
      ) : (
        <PageHeat key={page} project={project} page={page} search={search} />
      )}
    </Page>
  )
}

function Bar({
  search,
  page,
  pages,
  loading,
  onChange,
}: {
  search: HeatmapSearch
  page: string | undefined
  pages: HeatmapPages['results']
  loading: boolean
  onChange: (next: Partial<HeatmapSearch>) => void
}) {
  const project = useProject()
  const { from = LAST_7_DAYS, to, type = 'click', width } = search
  return (
    <div className="heatmap-bar">
      <Picker
        label="Page"
        width={420}
        loading={loading}
        choices={pages.map(({ url, visitors }) => ({ value: url, label: pageName(url), note: number(visitors) }))}
        free={(text) => ({ value: text, label: text, hint: 'This address' })}
        onPick={(url) => onChange({ page: url })}
        trigger={(props) => (
          <Button {...props} icon="search" className="heatmap-page-button" title={page}>
            <span className="truncate">{page === undefined ? 'Choose a page' : pageName(page)}</span>
          </Button>
        )}
      />
      <Segmented
        label="What is shown"
        value={type}
        options={TYPES.map((value) => ({ value, label: TYPE_NAMES[value].label }))}
        onChange={(value) => onChange({ type: value === 'click' ? undefined : value })}
      />
      <Select
        label="Width of the window"
        value={width ?? ''}
        options={[
          { value: '', label: 'All widths' },
          ...BANDS.map((value) => ({ value, label: BAND_WIDTHS[value].label })),
        ]}
        onChange={({ target }) => onChange({ width: (target.value || undefined) as Band | undefined })}
      />
      <DateRange
        from={from}
        to={to}
        zone={project.timezone}
        onChange={(begin, end) => onChange({ from: begin === LAST_7_DAYS ? undefined : begin, to: end })}
      />
      <Checkbox
        checked={search.visitors ?? false}
        onChange={({ target }) => onChange({ visitors: target.checked || undefined })}
      >
        Count each visitor once
      </Checkbox>
    </div>
  )
}

function NoPages({ optedIn }: { optedIn: boolean }) {
  const params = useProjectParams()
  return (
    <EmptyState
      icon="target"
      title={optedIn ? 'No heatmaps in this period' : 'Heatmaps are turned off'}
      action={
        <Link to="/project/$projectId/settings" params={params}>
          {optedIn ? 'Settings of the project' : 'Turn them on in the settings'}
        </Link>
      }
    >
      {optedIn
        ? 'Pages with posthog-js send clicks, mouse moves and scroll depths by themselves; they appear here within a minute.'
        : 'Pages with posthog-js start to send clicks, mouse moves and scroll depths when they are next loaded.'}
    </EmptyState>
  )
}
