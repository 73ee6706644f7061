import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { FeatureFlag } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { featureFlag } from '../../api/queries.ts'
import { ago, dateTime } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { useRemoval } from '../lists/index.ts'
import { rulesOf } from './document.ts'
import { FlagCode } from './flag-code.tsx'
import { FlagExperiment } from './flag-experiment.tsx'
import { FlagHistory } from './flag-history.tsx'
import { FlagRules } from './flag-rules.tsx'
import { refreshFlags, State, Switch } from './flag-state.tsx'
import { FlagTest } from './flag-test.tsx'
import { FlagUsage } from './flag-usage.tsx'
import './flags.css'

/** One flag: its state first, then its rules as sentences, who uses it, and why somebody got what they got. */
export function FlagPage() {
  const project = useProject()
  const { flagId = '' } = useParams({ strict: false })
  const { data: flag, error, refetch } = useQuery(featureFlag(project.id, flagId))
  if (error)
    return (
      <Page title="Feature flag">
        <ErrorState error={error} retry={() => refetch()} />
      </Page>
    )
  if (!flag)
    return (
      <Page title="Feature flag" sub=" ">
        <SkeletonRows rows={8} />
      </Page>
    )
  return <Known flag={flag} />
}

function Known({ flag }: { flag: FeatureFlag }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/flags/$flagId' })
  const client = useQueryClient()
  const { view = 'rules' } = useSearch({ from: '/project/$projectId/flags/$flagId' })
  const removal = useRemoval()
  const change = useMutation({
    mutationFn: (state: 'archive' | 'unarchive') =>
      ask<FeatureFlag>(inProject(project.id, `feature_flags/${flag.id}/${state}/`), { method: 'POST' }),
    onSuccess: async ({ archived }) => {
      say(archived ? 'Archived' : 'Taken out of the archive')
      await refreshFlags(client)
    },
    onError: sayFailure,
  })
  const remove = () =>
    removal.mutate({
      path: inProject(project.id, `feature_flags/${flag.id}/`),
      name: flag.key,
      note: 'Nobody gets it any more.',
      keys: ['feature-flags', 'feature-flag'],
      leave: () => navigate({ to: '/project/$projectId/flags', params }),
    })
  const called = flag.last_called_at
  return (
    <Page
      title={flag.key}
      sub={
        <span className="row-wrap">
          <State flag={flag} />
          {flag.name && (
            <>
              <span>{flag.name}</span>
              <span aria-hidden="true">·</span>
            </>
          )}
          <span title={called === null ? undefined : dateTime(called, project.timezone)}>
            {called === null ? 'never called' : `last called ${ago(called)}`}
          </span>
        </span>
      }
      actions={
        !flag.deleted && (
          <>
            {!flag.archived && <Switch flag={flag} />}
            <Link
              to="/project/$projectId/flags/$flagId/edit"
              params={{ ...params, flagId: String(flag.id) }}
              className="button button-plain"
            >
              <Icon name="edit" size={16} /> Change
            </Link>
            <MoreMenu
              items={[
                {
                  icon: 'fold',
                  label: flag.archived ? 'Unarchive' : 'Archive',
                  does: () => change.mutate(flag.archived ? 'unarchive' : 'archive'),
                },
                { icon: 'trash', label: 'Delete', does: remove, danger: true },
              ]}
            />
          </>
        )
      }
    >
      <Tabs
        label="About this flag"
        value={view}
        onChange={(next) =>
          void navigate({
            search: (was) => ({ ...was, view: next === 'rules' ? undefined : next }),
            replace: true,
            resetScroll: false,
          })
        }
        tabs={[
          { value: 'rules', label: 'Rules' },
          { value: 'usage', label: 'Usage' },
          ...(rulesOf(flag.filters).variants.length > 1 ? [{ value: 'experiment' as const, label: 'Experiment' }] : []),
          { value: 'test', label: 'Why' },
          { value: 'code', label: 'Code' },
          { value: 'history', label: 'History' },
        ]}
      />
      {view === 'rules' && <FlagRules flag={flag} />}
      {view === 'usage' && <FlagUsage flag={flag} />}
      {view === 'experiment' && <FlagExperiment flag={flag} />}
      {view === 'test' && <FlagTest flag={flag} />}
      {view === 'code' && <FlagCode flag={flag} />}
      {view === 'history' && <FlagHistory flag={flag} />}
    </Page>
  )
}
