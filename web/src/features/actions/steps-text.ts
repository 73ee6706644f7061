import type { ActionStep } from '../../api/types.ts'
import { eventName } from '../../lib/names.ts'

/** What an action is, in a line. */
export const stepsText = (steps: readonly ActionStep[]): string => steps.map(stepText).join(', or ') || 'no conditions'

function stepText({ event, url, url_matching, text, href, selector, properties }: ActionStep): string {
  const filters = Array.isArray(properties) ? properties.length : 0
  return [
    eventName(event),
    ...(url ? [`on ${url_matching === 'exact' ? '' : '…'}${url}`] : []),
    ...(text ? [`with text "${text}"`] : []),
    ...(href ? [`to ${href}`] : []),
    ...(selector ? [`in ${selector}`] : []),
    ...(filters > 0 ? [`with ${filters} filter${filters === 1 ? '' : 's'}`] : []),
  ].join(' ')
}
