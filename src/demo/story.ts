import { type DemoEvent, journey } from './journey.ts'
import { companies, visitor } from './people.ts'
import { Random } from './random.ts'

const DAY = 86_400_000
export const DEMO_DAYS = 60

export interface StoryOptions {
  /** Ends here, ms since epoch. */
  readonly end: number
  /** The day it begins, ms since epoch: two months before the end unless told. */
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
  begin = Math.floor(end / DAY) * DAY - (DEMO_DAYS - 1) * DAY,
  visitors = 3_200,
  seed = 20_240_501,
}: StoryOptions): Generator<DemoEvent[]> {
  const known = companies(new Random(seed), 60)
  for (let index = 0; index < visitors; index++) {
    // A person's own dice: one more visitor changes nobody else's story.
    const own = new Random(seed + index * 7919)
    yield journey(own, visitor(own, index, DEMO_DAYS, known), begin, end)
  }
}
