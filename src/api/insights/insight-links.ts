/** Addresses that ask the same question again: about the people behind one of its numbers, or for its next page. */
import type { CorrelationSubject, Links } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type Fields, fieldsOf } from './insight-question.ts'

/** Of the request, not of the question. */
const NOT_PART = new Set(['refresh', 'format', 'explain', 'client_query_id', 'limit', 'offset', 'personal_api_key'])

/** Which number is meant: not part of the question either, where a link says it itself. */
const WHICH =
  `day entity_order breakdown_value compare_label stickiness_days target_date lifecycle_type selected_interval funnel_step
  funnel_step_breakdown funnel_correlation_person_entity funnel_correlation_person_converted funnel_correlation_property_values`.split(
    /\s+/,
  )

type Linking = Pick<ProjectCall, 'publicUrl' | 'project' | 'query' | 'body' | 'url'>

/** As a query string, which is the same for all addresses of an answer. */
function questionText(call: Linking, more: Fields = {}, without: readonly string[] = []): string {
  const asked = Object.entries({ ...more, ...fieldsOf(call) })
  return textOf(Object.fromEntries(asked.filter(([name]) => !NOT_PART.has(name) && !without.includes(name))))
}

function textOf(fields: Fields): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    text.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return text.toString()
}

/** The same question at the same address with these fields: also what was sent in a body can then be fetched. */
export function samePage(call: Linking, fields: Fields): string {
  const url = new URL(call.url.pathname, call.publicUrl)
  return `${url}?${joined(questionText(call), textOf(fields))}`
}

const joined = (...texts: string[]): string => texts.filter((text) => text !== '').join('&')

export function linksOf(call: Linking, insight: string): Links {
  const question = questionText(call, { insight }, WHICH)
  const lists = new URL(`/api/environments/${call.project.id}/persons/`, call.publicUrl).toString()
  const to = (path: string, which: Fields): string => `${lists}${path}/?${joined(question, textOf(which))}`
  return {
    point: (of, point) => to(of, point),
    step: (step, breakdown, period) =>
      to('funnel', { funnel_step: step, funnel_step_breakdown: breakdown, compare_label: period }),
    correlation: (subject, converted) =>
      to('funnel/correlation', { ...subjectFields(subject), funnel_correlation_person_converted: converted }),
    retention: (row, after, value) => to('retention', { selected_interval: row, day: after, breakdown_value: value }),
  }
}

function subjectFields(subject: CorrelationSubject): Fields {
  if ('property' in subject) {
    const { property: key, value } = subject
    return { funnel_correlation_property_values: [{ key, value, type: 'person', operator: 'exact' }] }
  }
  const properties = subject.properties.map((each) => ({ ...each, type: 'event', operator: 'exact' }))
  return { funnel_correlation_person_entity: { id: subject.event, type: 'events', properties } }
}
