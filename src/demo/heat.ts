/** Where visitors click and how far they scroll on the page that recordings show, so that a heatmap lies on a real page. */
import type { Json, JsonObject } from '../lib/json.ts'
import { shareOf } from './beside.ts'
import type { DemoEvent } from './journey.ts'
import { IMPORT_PAGE } from './recording.ts'

interface Spot {
  readonly x: number
  readonly y: number
  /** How far from it people click at most. */
  readonly within: readonly [x: number, y: number]
}

const { button: BUTTON, message: MESSAGE, lists: LISTS } = IMPORT_PAGE.places

const isHere = ({ properties }: DemoEvent): boolean =>
  properties.$pathname === IMPORT_PAGE.path && properties.$device_type === 'Desktop'

/** What the SDK sends of clicks with the event that follows them. */
export function withHeat(event: DemoEvent): DemoEvent {
  const points = isHere(event) ? pointsOf(event) : []
  if (points.length === 0) return event
  const $heatmap_data = { [String(event.properties.$current_url)]: points }
  return { ...event, properties: { ...event.properties, ...scrolled(event), $heatmap_data } }
}

function pointsOf(event: DemoEvent): Json[] {
  const at = (type: string, spot: Spot, turn = 0) => point(event, `${type} ${turn}`, type, spot)
  const times = (count: number, make: (turn: number) => Json) => Array.from({ length: count }, (_, turn) => make(turn))
  switch (event.event) {
    case 'imported tasks':
      return [at('click', BUTTON), at('click', LISTS, 1), ...times(4, (turn) => at('mousemove', LISTS, turn))]
    case 'import failed':
      return [
        ...times(2, (turn) => at('click', BUTTON, turn)),
        at('deadclick', MESSAGE),
        ...times(3, (turn) => at('mousemove', MESSAGE, turn)),
      ]
    case '$rageclick':
      return [...times(4, (turn) => at('click', BUTTON, turn)), at('rageclick', BUTTON), at('deadclick', MESSAGE)]
    default:
      return []
  }
}

/** As far from the left, by its share of the width, as on the page that was recorded. */
function point({ uuid, properties }: DemoEvent, name: string, type: string, { x, y, within }: Spot): Json {
  const off = (axis: string) => shareOf(`${axis} ${name} ${uuid}`) * 2 - 1
  const width = Number(properties.$viewport_width ?? IMPORT_PAGE.width)
  return {
    x: Math.round(((x + off('x') * within[0]) / IMPORT_PAGE.width) * width),
    y: Math.round(y + off('y') * within[1]),
    target_fixed: false,
    type,
  }
}

const LONGEST_SCROLL = 240

/** No page follows in the session that would tell how far this one was scrolled: the end of the import does. */
const scrolled = ({ uuid, event }: DemoEvent): JsonObject =>
  event === '$rageclick'
    ? {}
    : {
        $prev_pageview_pathname: IMPORT_PAGE.path,
        $prev_pageview_max_scroll: Math.round(shareOf(`scroll ${uuid}`) ** 2 * LONGEST_SCROLL),
      }
