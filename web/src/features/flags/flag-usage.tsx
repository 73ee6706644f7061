import { Link } from '@tanstack/react-router'
import type { FeatureFlag } from '../../api/contract.ts'
import { useProjectParams } from '../../api/project.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/page.tsx'
import { type Draft, emptyDraft, InsightTile } from '../insights/index.ts'

const CALLED = '$feature_flag_called'

const calls = ({ key }: FeatureFlag, more: Partial<Draft>): Draft => ({
  kind: 'trends',
  series: [{ event: CALLED }],
  filters: [{ key: '$feature_flag', type: 'event', operator: 'exact', value: [key] }],
  breakdown: [{ property: '$feature_flag_response', type: 'event' }],
  ...more,
})

/** Who asked for the flag and what they got: every number leads to its people, their recordings and a playlist. */
export function FlagUsage({ flag }: { flag: FeatureFlag }) {
  const params = useProjectParams()
  const breakdown = [{ property: `$feature/${flag.key}`, type: 'event' as const }]
  const people = calls(flag, { series: [{ event: CALLED, math: 'dau' }], display: 'ranking' })
  return (
    <div className="stack-l">
      <Card
        title="Calls a day, by what was answered"
        action={
          <Link
            to="/project/$projectId/insights/new"
            params={params}
            search={{ q: calls(flag, {}) }}
            className="button button-quiet button-small"
          >
            Open
          </Link>
        }
      >
        <InsightTile draft={calls(flag, {})} height={240} />
      </Card>
      <Card title="People by what they got, last 30 days">
        <p className="soft small">
          Choose a value to see its people, their recordings, and to keep them as a playlist.
        </p>
        <InsightTile draft={people} height={200} />
      </Card>
      <Card title="What it changes">
        <p className="soft small">
          Events carry what the flag was for whoever sent them, as <code className="mono">$feature/{flag.key}</code>: a
          filter and a breakdown everywhere.
        </p>
        <div className="row-wrap">
          <Link
            to="/project/$projectId/insights/new"
            params={params}
            search={{ q: { ...emptyDraft('funnel'), breakdown } }}
            className="button button-plain"
          >
            <Icon name="funnel" size={16} /> Funnel by variant
          </Link>
          <Link
            to="/project/$projectId/insights/new"
            params={params}
            search={{ q: { ...emptyDraft('trends'), breakdown } }}
            className="button button-plain"
          >
            <Icon name="trends" size={16} /> Trend by variant
          </Link>
        </div>
      </Card>
    </div>
  )
}
