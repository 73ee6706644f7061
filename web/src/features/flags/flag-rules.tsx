import type { FeatureFlag } from '../../api/contract.ts'
import { number } from '../../lib/format.ts'
import { keyed } from '../../lib/keyed.ts'
import { Card } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { rulesOf } from './document.ts'
import { Matching } from './matching.tsx'
import { whatText, whoText } from './sentences.ts'
import { useNames } from './use-names.ts'

/** Its conditions as sentences, each with the number of people it is about; then variants and payloads. */
export function FlagRules({ flag }: { flag: FeatureFlag }) {
  const rules = rulesOf(flag.filters)
  const names = useNames({
    cohorts: rules.conditions.some(({ filters }) => filters.some(({ type }) => type === 'cohort')),
    flags: rules.conditions.some(({ flags }) => flags.length > 0),
  })
  return (
    <div className="stack-l">
      {!flag.active && <p className="soft">The flag is off: everybody gets false, whatever its rules say.</p>}
      {rules.conditions.length === 0 ? (
        <EmptyState icon="flag" title="No conditions">
          Nobody gets this flag.
        </EmptyState>
      ) : (
        <ol className="flag-rules" aria-label="Conditions, the first that matches counts">
          {keyed(rules.conditions).map(({ key, item, index }) => (
            <li key={key} className={`flag-rule ${item.rollout === 0 ? 'flag-rule-off' : ''}`}>
              <span className="soft small">{index + 1}</span>
              <span>
                <span className="strong">{capital(whoText(item, rules, names))}</span>: {whatText(item, rules)}
              </span>
              <span className="flag-rule-count">
                <Matching condition={item} groupType={rules.groupType} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {rules.variants.length > 0 && (
        <Card title="Variants">
          <ul className="flag-rules">
            {rules.variants.map(({ key, name, share }) => (
              <li key={key} className="spread">
                <span>
                  <span className="strong">{key}</span> {name && <span className="soft small">{name}</span>}
                  {rules.payloads[key] !== undefined && (
                    <code className="mono tiny soft flag-payload">{rules.payloads[key]}</code>
                  )}
                </span>
                <span>{number(share)}%</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {rules.variants.length === 0 && rules.payloads.true !== undefined && (
        <Card title="Payload">
          <code className="mono small">{rules.payloads.true}</code>
        </Card>
      )}
    </div>
  )
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
