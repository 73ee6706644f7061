import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personUuid, seedPersons } from '../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { drawn } from '../../../test/support/random.ts'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import { type Cohort, readCriteria } from './cohort.ts'
import { cohortMembers } from './members.ts'

const NOW = Date.parse('2024-03-10T12:00:00Z')
const PEOPLE = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal']

interface Happened {
  readonly who: string
  readonly event: string
  /** Milliseconds before now. */
  readonly ago: number
}

interface Leaf {
  readonly value: string
  readonly key: string
  readonly time_value: number
  readonly time_interval: 'hour' | 'day'
  readonly operator?: 'gte' | 'lte' | 'exact'
  readonly operator_value?: number
  readonly seq_event?: string
  readonly seq_time_value?: number
  readonly seq_time_interval?: 'hour' | 'day'
  readonly min_periods?: number
  readonly total_periods?: number
}

const LENGTH = { hour: HOUR, day: DAY }
const lengthOf = (count = 0, unit: 'hour' | 'day' = 'day') => count * LENGTH[unit]

const holds = (count: number, { operator, operator_value = 1 }: Leaf) =>
  operator === 'lte'
    ? count <= operator_value
    : operator === 'exact'
      ? count === operator_value
      : count >= operator_value

/** The rules once more, slowly, event by event. */
function isMember(who: string, leaf: Leaf, all: readonly Happened[]): boolean {
  const own = all.filter((one) => one.who === who)
  const it = own.filter(({ event }) => event === leaf.key).map(({ ago }) => ago)
  const whole = lengthOf(leaf.time_value, leaf.time_interval)
  const lately = lengthOf(leaf.seq_time_value, leaf.seq_time_interval)
  switch (leaf.value) {
    case 'performed_event_multiple': {
      const count = it.filter((ago) => ago <= whole).length
      // Whoever did nothing is not asked how rarely.
      return count > 0 && holds(count, leaf)
    }
    case 'stopped_performing_event':
      return it.some((ago) => ago <= whole) && !it.some((ago) => ago < lately)
    case 'restarted_performing_event':
      return (
        it.some((ago) => ago < lately) &&
        it.some((ago) => ago > whole) &&
        !it.some((ago) => ago <= whole && ago >= lately)
      )
    case 'performed_event_regularly': {
      const periods = Array.from({ length: leaf.total_periods ?? 0 }, (_, index) => index)
      const counts = periods.map((at) => it.filter((ago) => ago >= at * whole && ago < (at + 1) * whole).length)
      return counts.some((count) => count > 0) && counts.filter((n) => holds(n, leaf)).length >= (leaf.min_periods ?? 0)
    }
    default: {
      const then = own.filter(({ event }) => event === leaf.seq_event).map(({ ago }) => ago)
      const inTime = (ago: number) => ago <= whole
      return it
        .filter(inTime)
        .some((begun) => then.filter(inTime).some((done) => done < begun && begun - done <= lately))
    }
  }
}

describe('behaviours of cohorts', () => {
  let engine: TestEngine
  let project: TestProject
  const random = drawn('behaviours of cohorts')
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  const oneOf = <T>(...of: T[]): T => of[Math.floor(random() * of.length)] as T
  // On whole minutes, many on the same one and on the edges of days: where mistakes are made.
  const events: Happened[] = [
    ...Array.from({ length: 220 }, () => ({
      who: oneOf(...PEOPLE),
      event: oneOf('a', 'a', 'b'),
      ago: oneOf(
        () => upTo(40) * DAY,
        () => upTo(900) * HOUR,
        () => upTo(50_000) * MINUTE,
      )(),
    })),
    { who: 'hal', event: 'c', ago: 39 * DAY },
    { who: 'hal', event: 'c', ago: 30 * MINUTE },
  ]

  beforeAll(async () => {
    engine = await openTestEngine()
    project = engine.project()
    await project.seed(
      events.map(({ who, event, ago }) => ({ event, distinctId: who, at: new Date(NOW - ago).toISOString() })),
    )
    await seedPersons(
      project.clickhouse,
      project.id,
      PEOPLE.map((name) => ({ name, properties: {} })),
    )
  })
  afterAll(() => engine?.stop())

  async function membersOf(leaf: Leaf): Promise<string[]> {
    const refuse = (message: string): never => {
      throw new Error(`${message} ${JSON.stringify(leaf)}`)
    }
    const criteria = readCriteria({ properties: { type: 'AND', values: [{ type: 'behavioral', ...leaf }] } }, refuse)
    const cohort: Cohort = { id: 1, name: 'Random', isStatic: false, criteria }
    const definitions = { actions: new Map(), cohorts: new Map([[1, cohort]]) }
    const found = await cohortMembers({ ...project.context(new Date(NOW).toISOString()), definitions }, 1)
    return PEOPLE.filter((name) => found.includes(personUuid(name)))
  }

  const times = (): Pick<Leaf, 'operator' | 'operator_value'> => ({
    operator: oneOf('gte', 'lte', 'exact'),
    operator_value: upTo(4),
  })
  const whole = (): Pick<Leaf, 'time_value' | 'time_interval'> => ({ time_value: 6 + upTo(30), time_interval: 'day' })
  const lately = (): Pick<Leaf, 'seq_time_value' | 'seq_time_interval'> =>
    oneOf(
      { seq_time_value: upTo(5), seq_time_interval: 'day' },
      { seq_time_value: upTo(70), seq_time_interval: 'hour' },
    )

  const KINDS: Record<string, () => Omit<Leaf, 'value' | 'key'>> = {
    performed_event_multiple: () => ({ ...whole(), ...times() }),
    performed_event_sequence: () => ({ ...whole(), ...lately(), seq_event: oneOf('a', 'b') }),
    stopped_performing_event: () => ({ ...whole(), ...lately() }),
    restarted_performing_event: () => ({ ...whole(), ...lately() }),
    performed_event_regularly: () => {
      const total_periods = upTo(8)
      return { ...times(), time_value: upTo(6), time_interval: 'day', total_periods, min_periods: upTo(total_periods) }
    },
  }

  it.each(Object.keys(KINDS))('%s finds whom the slow rules find', async (value) => {
    let found = 0
    for (let turn = 0; turn < 12; turn++) {
      // Hal did "c" again after a long time: each kind finds somebody in some turn.
      const key = turn === 0 ? 'c' : oneOf('a', 'b', 'c')
      const leaf: Leaf = { value, key, ...(KINDS[value] as () => Omit<Leaf, 'value' | 'key'>)() }
      const expected = PEOPLE.filter((who) => isMember(who, leaf, events))
      expect(await membersOf(leaf), JSON.stringify(leaf)).toEqual(expected)
      found += expected.length
    }
    expect(found).toBeGreaterThan(0)
  })
})
