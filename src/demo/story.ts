import { DAY } from '../lib/durations.ts'
import { type DemoEvent, journey } from './journey.ts'
import { companies, visitor } from './people.ts'
import { Random } from './random.ts'

export const DEMO_DAYS = 60
/** Visitors come for this long: a story that began on a Monday two months ago is still going on today. */
const ARRIVAL_DAYS = DEMO_DAYS + 6

export interface StoryOptions {
  /** Ends here, ms since epoch. */
  readonly end: number
  /** The Monday on which it begins, ms since epoch: two months before the end unless told. */
  readonly begin?: number
  readonly visitors?: number
  readonly seed?: number
}

/** Two months of Harbour, in the order in which it happened. */
export const story = (options: StoryOptions): DemoEvent[] => inOrder([...journeys(options)].flat())

export const inOrder = (events: DemoEvent[]): DemoEvent[] => events.sort((a, b) => a.at - b.at)

/** What each visitor did, one after the other: for whoever has something else to do in between. */
export function* journeys({
  end,
  begin = mondayBefore(end - (DEMO_DAYS - 1) * DAY),
  visitors = 3_200,
  seed = 20_240_501,
}: StoryOptions): Generator<DemoEvent[]> {
  const known = companies(new Random(seed), 60)
  for (let index = 0; index < visitors; index++) {
    // A person's own dice: one more visitor changes nobody else's story.
    const own = new Random(seed + index * 7919)
    yield journey(own, visitor(own, index, ARRIVAL_DAYS, known), begin, end)
  }
}

/** The first of January 1970 was a Thursday. */
function mondayBefore(at: number): number {
  const day = Math.floor(at / DAY)
  return (day - ((day + 3) % 7)) * DAY
}
