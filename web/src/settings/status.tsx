import { useQuery } from '@tanstack/react-query'
import { Badge } from '../ui/controls.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'

interface Ready {
  status: string
  missing?: string[]
  [key: string]: unknown
}

/** Whether everything runs, as the probes of the service say. */
export function StatusSettings() {
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['ready'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/_ready', { signal })
      return (await answer.json()) as Ready
    },
    refetchInterval: 5_000,
  })
  return (
    <Card title="System status">
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={4} />
      ) : (
        <div className="stack">
          <div className="row">
            <Badge tone={data.status === 'ready' ? 'good' : 'bad'}>
              {data.status === 'ready' ? 'everything runs' : 'something is missing'}
            </Badge>
            <span className="soft tiny">checked {new Date(dataUpdatedAt).toLocaleTimeString()}</span>
          </div>
          {data.missing?.map((what) => (
            <p key={what} className="small">
              {what}
            </p>
          ))}
        </div>
      )}
      <p className="small soft">
        On the machine itself <code>npx footfall doctor</code> looks at more: disk, engines, backlog, dead letters.{' '}
        <a href="/metrics">Metrics</a> are there for Prometheus.
      </p>
    </Card>
  )
}
