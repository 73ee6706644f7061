/** Addresses of the people behind the numbers of an answer: the same question, and which number is meant. */
import type { CorrelationSubject, Links } from '../insights/index.ts'
import type { ProjectCall } from './context.ts'
import { type Fields, fieldsOf } from './insight-question.ts'

/** Of the request, not of the question. */
const NOT_PART = new Set(['refresh', 'format', 'explain', 'client_query_id', 'limit', 'offset', 'personal_api_key'])

type Linking = Pick<ProjectCall, 'publicUrl' | 'project' | 'query' | 'body'>

export function linksOf(call: Linking, insight: string): Links {
  const asked = Object.entries({ insight, ...fieldsOf(call) }).filter(([name]) => !NOT_PART.has(name))
  const to = (path: string, which: Fields): string => {
    const url = new URL(`/api/environments/${call.project.id}/persons/${path}/`, call.publicUrl)
    for (const [name, value] of [...asked, ...Object.entries(which)]) {
      if (value === undefined || value === null) continue
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return url.toString()
  }
  return {
    step: (step, breakdown) => to('funnel', { funnel_step: step, funnel_step_breakdown: breakdown }),
    correlation: (subject, converted) =>
      to('funnel/correlation', { ...subjectFields(subject), funnel_correlation_person_converted: converted }),
    retention: (row, after, value) => to('retention', { selected_interval: row, day: after, breakdown_value: value }),
  }

  function subjectFields(subject: CorrelationSubject): Fields {
    if ('property' in subject) {
      const { property: key, value } = subject
      return { funnel_correlation_property_values: [{ key, value, type: 'person', operator: 'exact' }] }
    }
    const properties = subject.properties.map((each) => ({ ...each, type: 'event', operator: 'exact' }))
    return { funnel_correlation_person_entity: { id: subject.event, type: 'events', properties } }
  }
}
