import { eventName } from '../../lib/names.ts'

import { type ActionStep, readSteps } from './steps.ts'

/** What an action is, in a line. */
export const stepsText = (steps: unknown): string => readSteps(steps).map(stepText).join(', or ') || 'no conditions'

function stepText({ event, url, url_matching, text, href, selector, properties }: ActionStep): string {
  const filters = properties?.length ?? 0
  return [
    eventName(event),
    ...(url ? [`on ${url_matching === 'exact' ? '' : '…'}${url}`] : []),
    ...(text ? [`with text "${text}"`] : []),
    ...(href ? [`to ${href}`] : []),
    ...(selector ? [`in ${selector}`] : []),
    ...(filters > 0 ? [`with ${filters} filter${filters === 1 ? '' : 's'}`] : []),
  ].join(' ')
}
