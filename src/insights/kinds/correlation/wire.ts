/** Correlations as clients read them. */
import type {
  Correlation as CorrelationOnWire,
  CorrelationResult as ResultOnWire,
} from '../../../contract/results/index.ts'
import { propertyNameOf } from '../../wire/property-name.ts'
import { AUTOCAPTURE_SEPARATOR, ELEMENTS_KEY } from './candidates.ts'
import { elementsIn } from './parse-elements.ts'
import type { Correlation, CorrelationResult } from './run.ts'

/** What a correlation is about, in the words of an actors query. */
export type CorrelationSubject =
  | { readonly event: string; readonly properties: readonly { readonly key: string; readonly value: string }[] }
  | { readonly property: string; readonly value: string }
export type CorrelationLink = (subject: CorrelationSubject, converted: boolean) => string

export const correlationOnWire = (result: CorrelationResult, link?: CorrelationLink): ResultOnWire => ({
  events: result.correlations.map((each) => itemOnWire(result, each, link)),
  skewed: result.skewed,
})

function itemOnWire(result: CorrelationResult, each: Correlation, link?: CorrelationLink): CorrelationOnWire {
  const subject = subjectOf(result, each)
  return {
    event: eventOf(subject),
    success_count: each.success,
    ...(link && { success_people_url: link(subject, true) }),
    failure_count: each.failure,
    ...(link && { failure_people_url: link(subject, false) }),
    odds_ratio: each.oddsRatio,
    correlation_type: each.oddsRatio > 1 ? 'success' : 'failure',
  }
}

function subjectOf({ plan }: CorrelationResult, { name }: Correlation): CorrelationSubject {
  const [first = '', second = '', third = ''] = name
  switch (plan.correlation.type) {
    case 'events':
      return { event: first, properties: [] }
    case 'event_with_properties':
      return {
        event: first,
        properties: [{ key: second === ELEMENTS_KEY ? second : propertyNameOf(second), value: third }],
      }
    case 'properties':
      return { property: propertyNameOf(first), value: second }
  }
}

function subjectName(subject: CorrelationSubject): string {
  if ('property' in subject) return `${subject.property}::${subject.value}`
  const [property] = subject.properties
  return property === undefined ? subject.event : `${subject.event}::${property.key}::${property.value}`
}

function eventOf(subject: CorrelationSubject): CorrelationOnWire['event'] {
  const event = subjectName(subject)
  const [property] = 'event' in subject ? subject.properties : []
  if (property?.key !== ELEMENTS_KEY) return { event, properties: {}, elements: [] }
  const cut = property.value.indexOf(AUTOCAPTURE_SEPARATOR)
  return {
    event,
    properties: { $event_type: property.value.slice(0, cut) },
    elements: elementsIn(property.value.slice(cut + AUTOCAPTURE_SEPARATOR.length)),
  }
}
