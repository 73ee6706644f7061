import type { eventWithTime } from 'rrweb'
import { describe, expect, it } from 'vitest'
import { type Block, Pieces } from './pieces.ts'

const T0 = 1_700_000_000_000
const SECONDS = 10
/** Ten blocks of ten seconds, 100 bytes each; the first has the picture. */
const BLOCKS: Block[] = Array.from({ length: 10 }, (_, i) => ({
  start: T0 + i * SECONDS * 1_000,
  end: T0 + (i + 1) * SECONDS * 1_000,
  bytes: 100,
}))
const EVENTS = BLOCKS.flatMap(
  ({ start }) =>
    [4, start === T0 ? 2 : 3, 3].map((type, i) => ({ type, timestamp: start + i, data: {} })) as eventWithTime[],
)

function loading(ahead: number, blocks = BLOCKS) {
  const asked: number[] = []
  let failing = false
  const pieces = new Pieces(
    blocks,
    async ({ start, end }) => {
      asked.push((start - T0) / 1_000 / SECONDS)
      if (failing) throw new Error('no network')
      return EVENTS.filter(({ timestamp }) => timestamp >= start && timestamp < end)
    },
    { ahead },
  )
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => holds() && resolve()
      pieces.subscribe(look)
      look()
    })
  return { pieces, asked, until, fail: (now: boolean) => (failing = now) }
}
/** Until everything that could go on has gone on. */
const rest = async () => {
  for (let i = 0; i < 100; i++) await Promise.resolve()
}

describe('the pieces of a recording', () => {
  it('come in order, and something can be shown before all of it is there', async () => {
    const { pieces, asked, until } = loading(Number.POSITIVE_INFINITY)
    pieces.start()
    await until(() => pieces.state.playable)
    expect(pieces.state.complete).toBe(false)
    expect(pieces.state.until).toBe(10_000)
    await until(() => pieces.state.complete)
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(pieces.events).toHaveLength(30)
    const times = pieces.events.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(pieces.total).toBe(99_999)
    expect(pieces.state.until).toBe(pieces.total)
  })

  it('rest when enough of them is ahead, and go on when somebody comes nearer', async () => {
    const { pieces, asked } = loading(250)
    pieces.start()
    await rest()
    expect(asked).toEqual([0, 1, 2])
    pieces.watch(12_000)
    await rest()
    expect(asked).toEqual([0, 1, 2, 3])
    pieces.watch(12_500)
    await rest()
    expect(asked).toHaveLength(4)
  })

  it('come without a hole up to a moment that somebody jumps to, several at once', async () => {
    const large = BLOCKS.map((block) => ({ ...block, bytes: 1_500_000 }))
    const { pieces, asked } = loading(50, large)
    pieces.start()
    await rest()
    expect(asked).toEqual([0])
    pieces.watch(75_000)
    await rest()
    expect(asked).toEqual([0, 1, 3, 5, 7])
    expect(pieces.state.until).toBe(80_000)
    expect(pieces.events).toEqual(EVENTS.slice(0, 24))
  })

  it('stop at one that cannot be had, and go on from there', async () => {
    const { pieces, asked, until, fail } = loading(50)
    pieces.start()
    await rest()
    fail(true)
    pieces.watch(15_000)
    await until(() => pieces.state.error !== null)
    pieces.watch(15_100)
    await rest()
    expect(asked).toEqual([0, 1])
    expect(pieces.events).toHaveLength(3)
    fail(false)
    pieces.start()
    await rest()
    expect(pieces.state.error).toBe(null)
    expect(asked).toEqual([0, 1, 1])
    expect(pieces.events).toHaveLength(6)
  })

  it('are left when nobody watches any more, and taken up again whole', async () => {
    const { pieces, asked, until } = loading(Number.POSITIVE_INFINITY)
    pieces.start()
    pieces.stop()
    await rest()
    expect(pieces.events).toEqual([])
    pieces.start()
    await until(() => pieces.state.complete)
    expect(asked).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(pieces.events).toHaveLength(30)
  })

  it('of nothing are complete and show nothing', async () => {
    const { pieces } = loading(50, [])
    pieces.start()
    await rest()
    expect(pieces.state).toMatchObject({ complete: true, playable: false, error: null })
  })
})
