import { DAY } from '../lib/durations.ts'
import { botVisit, withBrowsing } from './browsing.ts'
import { withFlags } from './flags.ts'
import { type DemoEvent, journey } from './journey.ts'
import { companies, visitor } from './people.ts'
import { Random } from './random.ts'

export const DEMO_DAYS = 60
/** New visitors arrive for this long: the data begin on a Monday two months ago and last until today. */
const ARRIVAL_DAYS = DEMO_DAYS + 6
/** For so many visitors there is one bot. */
const BOT_SHARE = 0.07

export interface StoryOptions {
  /** The end of the data, ms since epoch. */
  readonly end: number
  /** The Monday of the first day, ms since epoch; by default two months before the end. */
  readonly begin?: number
  readonly visitors?: number
  readonly seed?: number
}

/** Two months of events of Harbour, in order of time. */
export const story = (options: StoryOptions): DemoEvent[] => inOrder([...journeys(options)].flat())

export const inOrder = (events: DemoEvent[]): DemoEvent[] => events.sort((a, b) => a.at - b.at)

/** The events of one visitor after another, for callers that do other work in between. */
export function* journeys({
  end,
  begin = mondayBefore(end - (DEMO_DAYS - 1) * DAY),
  visitors = 3_200,
  seed = 20_240_501,
}: StoryOptions): Generator<DemoEvent[]> {
  const known = companies(new Random(seed), 60)
  for (let index = 0; index < visitors; index++) {
    // Random numbers of its own for each visitor: one more visitor does not change the events of the others.
    const own = new Random(seed + index * 7919)
    const told = withFlags(journey(own, visitor(own, index, ARRIVAL_DAYS, known), begin, end), begin)
    yield withBrowsing(told).filter(({ at }) => at < end)
  }
  for (let index = 0; index < visitors * BOT_SHARE; index++) yield botVisit(index, begin, end)
}

/** The first of January 1970 was a Thursday. */
function mondayBefore(at: number): number {
  const day = Math.floor(at / DAY)
  return (day - ((day + 3) % 7)) * DAY
}
