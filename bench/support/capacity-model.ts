/** What a load needs, by arithmetic on measured figures; and how its queue behaves over a day, by simulation. */

export interface Figures {
  /** CPU of one event, in microseconds: batches of 500, 600 bytes each. */
  readonly captureMicros: number
  /** CPU of a request besides its events, in capture. */
  readonly requestMicros: number
  readonly pipelineMicros: number
  readonly postgresMicros: number
  readonly clickhouseMicros: number
  /** On disk, in one copy, with everything that is kept of it. */
  readonly bytesStored: number
  /** In the log. */
  readonly bytesLogged: number
  /** CPU seconds of a question over a million events of its project. */
  readonly questionSecondsPerMillion: number
}

export interface Load {
  readonly eventsPerDay: number
  /** The busiest hour over the mean. */
  readonly swing: number
  readonly eventsPerRequest: number
  readonly questionsPerSecond: number
  /** Events that a question reads, on average. */
  readonly eventsPerQuestion: number
  readonly retentionDays: number
}

export interface Choices {
  readonly coresOfCapture: number
  readonly coresOfPipeline: number
  readonly coresOfClickHouse: number
  readonly diskOfClickHouseBytes: number
  readonly copies: number
  /** How busy a machine may be in the busiest hour. */
  readonly utilisation: number
}

export interface Plan {
  readonly meanPerSecond: number
  readonly peakPerSecond: number
  readonly captures: number
  readonly pipelines: number
  readonly partitions: number
  readonly shards: number
  readonly clickhouses: number
  readonly diskBytesOfCopy: number
  readonly logBytesOfThreeDays: number
  readonly postgresCores: number
  readonly clickhouseIngestCores: number
  readonly clickhouseQuestionCores: number
  /** Events each second that the pipelines can apply, all of them, and with one machine less. */
  readonly appliedPerSecond: number
  readonly appliedWithOneLess: number
}

const SECONDS_OF_DAY = 86_400
const MICROS = 1e6
const LOG_DAYS = 3
/** Partitions may not be the limit when machines are added later. */
const PARTITIONS_FOR_EACH_CORE = 2
const MOST_PARTITIONS = 256

/** Every tier keeps up with the busiest hour when one of its machines is gone. */
export function planFor(load: Load, figures: Figures, choices: Choices): Plan {
  const meanPerSecond = load.eventsPerDay / SECONDS_OF_DAY
  const peakPerSecond = meanPerSecond * load.swing
  const coresFor = (micros: number) => (peakPerSecond * micros) / MICROS / choices.utilisation
  const machines = (cores: number, each: number) => Math.ceil(cores / each) + 1
  const pipelines = machines(coresFor(figures.pipelineMicros), choices.coresOfPipeline)
  const clickhouseIngestCores = coresFor(figures.clickhouseMicros)
  const clickhouseQuestionCores =
    (load.questionsPerSecond * figures.questionSecondsPerMillion * (load.eventsPerQuestion / 1e6)) / choices.utilisation
  const diskBytesOfCopy = load.eventsPerDay * load.retentionDays * figures.bytesStored
  const shards = Math.max(
    1,
    // Every copy takes all inserts of its shard; questions are spread over the copies, of which one may be gone.
    Math.ceil(
      (clickhouseIngestCores + clickhouseQuestionCores / Math.max(1, choices.copies - 1)) / choices.coresOfClickHouse,
    ),
    Math.ceil(diskBytesOfCopy / (choices.diskOfClickHouseBytes * DISK_FILL)),
  )
  const perPipeline = (choices.coresOfPipeline * MICROS) / figures.pipelineMicros
  return {
    meanPerSecond,
    peakPerSecond,
    captures: machines(
      coresFor(figures.captureMicros + figures.requestMicros / load.eventsPerRequest),
      choices.coresOfCapture,
    ),
    pipelines,
    partitions: Math.min(
      MOST_PARTITIONS,
      nextPowerOfTwo(pipelines * choices.coresOfPipeline * PARTITIONS_FOR_EACH_CORE),
    ),
    shards,
    clickhouses: shards * choices.copies,
    diskBytesOfCopy,
    logBytesOfThreeDays: load.eventsPerDay * LOG_DAYS * figures.bytesLogged,
    postgresCores: coresFor(figures.postgresMicros),
    clickhouseIngestCores,
    clickhouseQuestionCores,
    appliedPerSecond: pipelines * perPipeline,
    appliedWithOneLess: (pipelines - 1) * perPipeline,
  }
}

/** Merges need room beside the parts they read. */
const DISK_FILL = 0.7

const nextPowerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, least)))

export interface DayOfQueue {
  /** Events that wait, at the end of each minute. */
  readonly waiting: readonly number[]
  readonly most: number
  /** How long the event that waits longest has waited, in seconds. */
  readonly longestWaitSeconds: number
  /** Minutes from the return of what had failed until nothing waits; null when that does not happen in the day. */
  readonly recoveredAfterMinutes: number | null
}

export interface Outage {
  readonly fromMinute: number
  readonly minutes: number
  /** Events each second that are applied while it lasts. */
  readonly appliedPerSecond: number
}

/** A day minute by minute: a sine around the mean with its top at three in the afternoon. */
export function dayOfQueue(load: Load, appliedPerSecond: number, outage: Outage): DayOfQueue {
  const mean = load.eventsPerDay / SECONDS_OF_DAY
  const waiting: number[] = []
  let queue = 0
  let longest = 0
  let recovered: number | null = null
  const end = outage.fromMinute + outage.minutes
  for (let minute = 0; minute < 1_440; minute++) {
    const arriving = mean * (1 + (load.swing - 1) * Math.cos(((minute - 900) / 1_440) * 2 * Math.PI))
    const isOut = minute >= outage.fromMinute && minute < end
    const applied = isOut ? outage.appliedPerSecond : appliedPerSecond
    queue = Math.max(0, queue + (arriving - applied) * 60)
    // What arrives now is applied after everything before it, at the speed there is after the outage.
    longest = Math.max(longest, queue / appliedPerSecond + (isOut && applied === 0 ? (end - minute - 1) * 60 : 0))
    waiting.push(queue)
    if (minute >= end && recovered === null && queue === 0) recovered = minute - end + 1
  }
  return { waiting, most: Math.max(...waiting), longestWaitSeconds: longest, recoveredAfterMinutes: recovered }
}
