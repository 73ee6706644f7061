/**
 * What a load needs: machines, partitions, shards and disk, and how the queue behaves on a day when a machine fails.
 * `npm run bench capacity` prints 1 million, 100 million and a billion events a day; `npm run bench capacity 5e8 3` half
 * a billion with three times the mean in the busiest hour. It measures nothing: its figures (support/capacity-figures.ts) were measured by the
 * benchmarks beside them, and docs/CAPACITY.md says what is measured and what is assumed.
 */
import { CHOICES, FIGURES } from './support/capacity-figures.ts'
import { dayOfQueue, type Load, planFor } from './support/capacity-model.ts'

const [events, swing] = process.argv.slice(2).map(Number)
const loads = events === undefined ? [1e6, 1e8, 1e9] : [events]

for (const eventsPerDay of loads) {
  const load: Load = {
    eventsPerDay,
    swing: swing ?? 2,
    eventsPerRequest: 3,
    questionsPerSecond: Math.max(0.1, eventsPerDay / 1e8),
    eventsPerQuestion: Math.min(100e6, eventsPerDay * 7),
    retentionDays: 365,
  }
  const plan = planFor(load, FIGURES, CHOICES)
  const fault = dayOfQueue(load, plan.appliedPerSecond, {
    fromMinute: 840,
    minutes: 60,
    appliedPerSecond: plan.appliedWithOneLess,
  })
  const stop = dayOfQueue(load, plan.appliedPerSecond, { fromMinute: 840, minutes: 60, appliedPerSecond: 0 })
  print(load, [
    ['events a second, mean and busiest', `${whole(plan.meanPerSecond)}, ${whole(plan.peakPerSecond)}`],
    [`capture, ${CHOICES.coresOfCapture} cores each`, `${plan.captures} machines`],
    [`pipeline, ${CHOICES.coresOfPipeline} cores each`, `${plan.pipelines} machines, ${plan.partitions} partitions`],
    ['PostgreSQL, for events', `${plan.postgresCores.toFixed(1)} cores`],
    [
      `ClickHouse, ${CHOICES.coresOfClickHouse} cores each`,
      `${plan.shards} shards of ${CHOICES.copies} copies, ${plan.clickhouses} machines (${plan.clickhouseIngestCores.toFixed(1)} cores insert, ${plan.clickhouseQuestionCores.toFixed(1)} answer ${load.questionsPerSecond}/s)`,
    ],
    ['a year of events, one copy', bytes(plan.diskBytesOfCopy)],
    ['the log, three days, one copy', bytes(plan.logBytesOfThreeDays)],
    [
      'one pipeline machine away for an hour, at two',
      `${whole(fault.most)} events wait at most, ${whole(fault.longestWaitSeconds)} s`,
    ],
    [
      'all pipelines away for that hour',
      `${whole(stop.most)} wait, ${bytes(stop.most * FIGURES.bytesLogged)} in the log; gone ${stop.recoveredAfterMinutes ?? 'not the same day'} min after`,
    ],
  ])
}

function print({ eventsPerDay, swing: top }: Load, rows: readonly (readonly [string, string])[]): void {
  console.log(`\n${whole(eventsPerDay)} events a day, ${top} times the mean in the busiest hour`)
  for (const [name, value] of rows) console.log(`  ${name.padEnd(48)}${value}`)
}

function whole(number: number): string {
  return Math.ceil(number).toLocaleString('en')
}

function bytes(number: number): string {
  const unit = Math.min(4, Math.floor(Math.log10(Math.max(1, number)) / 3))
  return `${(number / 1000 ** unit).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][unit]}`
}
