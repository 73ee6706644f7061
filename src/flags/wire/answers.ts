/**
 * Answers to SDKs, put together as text: what an outcome of a flag looks like is written once and kept, so that an
 * answer with many flags is a matter of joining texts. All of it is ASCII, whose length and bytes need no counting.
 */
import { asciiJson, stringifyJson } from '../../lib/json.ts'
import { type FlagDecision, flagValue } from '../rules/decision.ts'

/** The forms in which versions of `/flags` and `/decide` want flags. */
export type AnswerForm = 'details' | 'values' | 'enabled' | 'list' | 'everything'

export function flagFields(decisions: readonly FlagDecision[], form: AnswerForm): string {
  let failed = false
  for (const decision of decisions) failed ||= decision.failed
  const errors = `"errorsWhileComputingFlags":${failed}`
  if (form === 'details') return `${errors},"flags":{${detailsOf(decisions)}}`
  return `${errors},${asciiJson(olderFields(decisions, form))}`
}

function olderFields(decisions: readonly FlagDecision[], form: Exclude<AnswerForm, 'details'>): string {
  switch (form) {
    case 'values':
      return valueFields(decisions)
    case 'everything':
      return `"flags":{${detailsOf(decisions)}},${valueFields(decisions)}`
    case 'enabled':
      return `"featureFlags":{${enabledOf(decisions).map(valueField).join(',')}}`
    case 'list':
      return `"featureFlags":${JSON.stringify(enabledOf(decisions).map(({ key }) => key))}`
  }
}

function detailsOf(decisions: readonly FlagDecision[]): string {
  const texts: string[] = []
  for (const decision of decisions) texts.push(detailOf(decision))
  return texts.join(',')
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
  if (decision.written.detail !== null) return decision.written.detail
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
  const field = asciiJson(`${JSON.stringify(key)}:${detail}`)
  decision.written.detail = field
  return field
}

/** What is secret is given to servers alone, by remote configuration. */
const payloadOf = ({ payload, flag }: FlagDecision) => (flag.has_encrypted_payloads ? null : payload)
