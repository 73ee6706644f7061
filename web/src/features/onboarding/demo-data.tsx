import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { DemoProgress } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { number, percent } from '../../lib/format.ts'
import { Button } from '../../ui/controls.tsx'

/** Loads two months of a small SaaS into this project, and shows how far it is. */
export function DemoData() {
  const project = useProject()
  const params = useProjectParams()
  const client = useQueryClient()
  const path = inProject(project.id, 'demo_data/')
  const key = ['demo-data', project.id]
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask<{ progress: DemoProgress | null }>(path, { signal }),
    refetchInterval: (query) => (isUnderWay(query.state.data?.progress) ? 400 : false),
    retry: false,
  })
  const load = useMutation({
    mutationFn: () => ask<{ progress: DemoProgress }>(path, { method: 'POST' }),
    onSuccess: (answer) => client.setQueryData(key, answer),
  })
  const progress = data?.progress ?? null
  const done = progress?.state === 'done'
  useEffect(() => {
    if (done) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'demo-data' })
  }, [done, client])
  return (
    <div className="waiting-demo">
      <p className="small strong">Just looking?</p>
      <p className="small soft">
        Load two months of sample data of a small SaaS product: signups, companies, surveys, recordings and a dashboard.
      </p>
      {isUnderWay(progress) ? (
        <Bar progress={progress} />
      ) : done ? (
        <p className="small" role="status">
          {progress.events + progress.recordings === 0
            ? 'The demo data was already loaded. Nothing was added.'
            : `Loaded ${number(progress.events)} events and ${number(progress.recordings)} recordings.`}
          {progress.dashboard !== null && (
            <>
              {' '}
              <Link
                to="/project/$projectId/dashboards/$dashboardId"
                params={{ ...params, dashboardId: String(progress.dashboard) }}
              >
                Open the dashboard
              </Link>
            </>
          )}
        </p>
      ) : (
        <Button icon="download" onClick={() => load.mutate()} busy={load.isPending}>
          Load demo data
        </Button>
      )}
      {(load.error || progress?.state === 'failed') && (
        <p role="alert" className="field-error">
          {load.error?.message ?? progress?.error}
        </p>
      )}
      <p className="tiny soft">
        In a terminal: <code>npx footfall demo{project.id === 1 ? '' : ` --project ${project.id}`}</code>
      </p>
    </div>
  )
}

const isUnderWay = (
  progress: DemoProgress | null | undefined,
): progress is DemoProgress & { state: 'sending' | 'storing' } =>
  progress?.state === 'sending' || progress?.state === 'storing'

function Bar({ progress: { state, looked, total } }: { progress: DemoProgress }) {
  const share = total === 0 ? 0 : looked / total
  return (
    <div className="stack">
      <progress className="bar" value={share} max={1} aria-label="Loading demo data" />
      <p className="tiny soft" role="status">
        {state === 'storing'
          ? 'Finishing'
          : total === 0
            ? 'Preparing'
            : `${number(looked)} of ${number(total)} events, ${percent(share, 0)}`}
      </p>
    </div>
  )
}
