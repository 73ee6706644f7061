/**
 * Answers to SDKs, put together as text: what an outcome of a flag looks like is written once and kept, so that an
 * answer with many flags is a matter of joining texts.
 */
import { stringifyJson } from '../../lib/json.ts'
import { type FlagDecision, flagValue } from '../rules/decision.ts'

/** The forms in which versions of `/flags` and `/decide` want flags. */
export type AnswerForm = 'details' | 'values' | 'enabled' | 'list' | 'everything'

const details = new WeakMap<FlagDecision, string>()

export function flagFields(decisions: readonly FlagDecision[], form: AnswerForm): string {
  const failed = decisions.some((decision) => decision.failed)
  const errors = `"errorsWhileComputingFlags":${failed}`
  switch (form) {
    case 'details':
      return `${errors},"flags":{${decisions.map(detailOf).join(',')}}`
    case 'values':
      return `${errors},${valueFields(decisions)}`
    case 'everything':
      return `${errors},"flags":{${decisions.map(detailOf).join(',')}},${valueFields(decisions)}`
    case 'enabled':
      return `${errors},"featureFlags":{${enabledOf(decisions).map(valueField).join(',')}}`
    case 'list':
      return `${errors},"featureFlags":${JSON.stringify(enabledOf(decisions).map(({ key }) => key))}`
  }
}

const enabledOf = (decisions: readonly FlagDecision[]): FlagDecision[] => decisions.filter(({ enabled }) => enabled)

const valueField = (decision: FlagDecision): string =>
  `${JSON.stringify(decision.key)}:${JSON.stringify(flagValue(decision))}`

function valueFields(decisions: readonly FlagDecision[]): string {
  const payloads = decisions.filter((decision) => payloadOf(decision) !== null)
  return `"featureFlags":{${decisions.map(valueField).join(',')}},"featureFlagPayloads":{${payloads
    .map((decision) => `${JSON.stringify(decision.key)}:${stringifyJson(payloadOf(decision))}`)
    .join(',')}}`
}

function detailOf(decision: FlagDecision): string {
  const known = details.get(decision)
  if (known !== undefined) return known
  const { key, enabled, variant, failed, reason, flag } = decision
  const detail = stringifyJson({
    key,
    enabled,
    variant,
    ...(failed ? { failed } : {}),
    reason: { code: reason.code, condition_index: reason.conditionIndex, description: reason.description },
    metadata: {
      id: flag.id,
      version: flag.version,
      description: null,
      payload: payloadOf(decision),
      has_experiment: flag.has_experiment,
    },
  })
  const field = `${JSON.stringify(key)}:${detail}`
  details.set(decision, field)
  return field
}

/** What is secret is given to servers alone, by remote configuration. */
const payloadOf = ({ payload, flag }: FlagDecision) => (flag.has_encrypted_payloads ? null : payload)
