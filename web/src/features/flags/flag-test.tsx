import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { FeatureFlag, ListedPerson, Page, TestEvaluation } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { valueText } from '../../lib/format.ts'
import { personName, propertyName } from '../../lib/names.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Button } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { askQuery, OPERATORS } from '../insights/index.ts'
import { usePanels } from '../panels/index.ts'
import { reasonText } from './sentences.ts'
import { useNames } from './use-names.ts'

/** Why somebody gets what they get: the rule that decided, and the events in which they got it. */
export function FlagTest({ flag }: { flag: FeatureFlag }) {
  const navigate = useNavigate({ from: '/project/$projectId/flags/$flagId' })
  const { who = '' } = useSearch({ from: '/project/$projectId/flags/$flagId' })
  const [text, setText] = useState(who)
  const look = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ search: (was) => ({ ...was, who: text.trim() || undefined }), replace: true, resetScroll: false })
  }
  return (
    <div className="stack-l">
      <form className="row-wrap" onSubmit={look}>
        <input
          className="input"
          style={{ maxWidth: 360 }}
          placeholder="Distinct id or email"
          aria-label="Distinct id or email"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button kind="primary" type="submit">
          Explain
        </Button>
      </form>
      {who === '' ? (
        <EmptyState icon="persons" title="Whose value?">
          Type a distinct id or an email to see what they get, and which rule decided it.
        </EmptyState>
      ) : (
        <Explained flag={flag} who={who} />
      )}
    </div>
  )
}

function Explained({ flag, who }: { flag: FeatureFlag; who: string }) {
  const project = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: ['flag-evaluation', project.id, flag.id, who],
    queryFn: async ({ signal }) => {
      const distinct_id = await distinctIdOf(project.id, who, signal)
      return ask<TestEvaluation>(inProject(project.id, `feature_flags/${flag.id}/test_evaluation/`), {
        body: { distinct_id },
        signal,
      })
    },
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <SkeletonRows rows={5} />
  return (
    <>
      <Verdict result={data} />
      <Answers flag={flag} result={data} />
    </>
  )
}

/** An email finds its person; anything else is a distinct id. */
async function distinctIdOf(projectId: number, who: string, signal: AbortSignal): Promise<string> {
  if (!who.includes('@')) return who
  const { results } = await ask<Page<ListedPerson>>(inProject(projectId, 'persons/'), {
    query: { email: who, limit: 1 },
    signal,
  })
  return results[0]?.distinct_ids[0] ?? who
}

function Verdict({ result }: { result: TestEvaluation }) {
  const params = useProjectParams()
  const names = useNames({
    cohorts: result.conditions.some(({ properties }) => properties.some(({ type }) => type === 'cohort')),
    flags: result.conditions.some(({ properties }) => properties.some(({ type }) => type === 'flag')),
  })
  return (
    <Card>
      <div className="stack" style={{ gap: 4 }}>
        <p className="flag-value">{valueText(result.value)}</p>
        <p>
          {reasonText(result.evaluation)}
          {result.payload !== null && <code className="mono tiny soft"> payload {valueText(result.payload)}</code>}
        </p>
        <p className="soft small">
          {result.person ? (
            <Link
              to="/project/$projectId/persons/$personId"
              params={{ ...params, personId: result.person.uuid }}
              search={{ view: 'flags' }}
            >
              {personName(result.person)}
            </Link>
          ) : (
            `${result.distinct_id} is not known: only what the SDK sends along counts.`
          )}
        </p>
      </div>
      <ol className="flag-rules" aria-label="Conditions">
        {result.conditions.map((condition) => (
          <li key={condition.index} className="flag-rule">
            <span className="soft small">{condition.index + 1}</span>
            <span className={condition.matched ? 'strong' : ''}>
              {condition.matched ? 'matched' : reasonText({ reason: condition.reason, condition_index: null })}
              {condition.variant !== null && `, variant ${condition.variant}`}
            </span>
            <span className="small soft flag-rule-count">{positionText(condition)}</span>
            {condition.properties.length > 0 && (
              <ul className="flag-checks small">
                {condition.properties.map((check) => (
                  <li key={`${check.type} ${check.key} ${check.operator}`} className="flag-check">
                    <span className={check.matched ? 'flag-check-yes' : 'flag-check-no'}>
                      {check.matched ? 'yes' : 'no'}
                    </span>
                    <span>{checkText(check, names)}</span>
                    <span className="soft">{actualText(check)}</span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

type Checked = TestEvaluation['conditions'][number]['properties'][number]

function checkText({ type, key, operator, value }: Checked, names: ReturnType<typeof useNames>): string {
  if (type === 'cohort') return `${operator === 'not_in' ? 'not in' : 'in'} ${names.cohort(valueText(value))}`
  if (type === 'flag') return `${names.flag(key)} is ${valueText(value)}`
  const verb = OPERATORS.find((each) => each.value === operator)?.label ?? operator.replaceAll('_', ' ')
  const wanted = Array.isArray(value) ? value.map(valueText).join(' or ') : value === null ? '' : valueText(value)
  return `${propertyName(key)} ${verb} ${wanted}`
}

function actualText({ type, actual, is_set }: Checked): string {
  if (type === 'cohort') return actual === true ? 'is in it' : 'is not in it'
  return is_set ? `has ${valueText(actual)}` : 'has no such property'
}

function positionText({ rollout_position, rollout_percentage }: TestEvaluation['conditions'][number]): string {
  if (rollout_position === null || rollout_percentage >= 100) return ''
  const at = `at ${rollout_position.toFixed(1)}%`
  return rollout_position <= rollout_percentage
    ? `${at} of ${rollout_percentage}%`
    : `${at}, beyond ${rollout_percentage}%`
}

/** What their own events say they got. */
function Answers({ flag, result }: { flag: FeatureFlag; result: TestEvaluation }) {
  const project = useProject()
  const panels = usePanels()
  const { data, error, refetch } = useQuery({
    queryKey: ['flag-answers', project.id, flag.key, result.distinct_id],
    queryFn: ({ signal }) =>
      askQuery(
        project.id,
        {
          kind: 'EventsQuery',
          event: '$feature_flag_called',
          select: ['uuid', 'timestamp', 'properties.$feature_flag_response', 'properties.$feature_flag_reason'],
          properties: [{ key: '$feature_flag', type: 'event', operator: 'exact', value: [flag.key] }],
          ...(result.person
            ? { personId: result.person.uuid }
            : { where: [`distinct_id = '${result.distinct_id.replace(/[\\']/g, '\\$&')}'`] }),
          after: LAST_30_DAYS,
          orderBy: ['timestamp DESC'],
          limit: 20,
        },
        signal,
      ),
  })
  return (
    <Card title="What they got, last 30 days">
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.answer.results.length === 0 ? (
        <p className="soft small">No call of this flag is known of them.</p>
      ) : (
        <ul className="flag-rules">
          {data.answer.results.map((row) => {
            const [uuid, at, response, reason] = row as unknown[]
            return (
              <li key={String(uuid)} className="spread small">
                <span>
                  <span className="strong">{valueText(response)}</span>{' '}
                  <span className="soft">{reason ? valueText(reason) : ''}</span>
                </span>
                <button
                  type="button"
                  className="link-button"
                  onClick={() => panels.open({ to: 'event', id: String(uuid) })}
                >
                  {String(at).slice(0, 19).replace('T', ' ')}
                </button>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}
