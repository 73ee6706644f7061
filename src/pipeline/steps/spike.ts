import { ok, type PipelineEvent, type Step, warn } from './step.ts'

/** Events that change identities are never deferred: later events would be attributed to the wrong person. */
const NEVER_DEFERRED = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set'])
const BUCKETS_KEPT = 50_000

interface SpikeLimits {
  /** Events a second that one distinct id may send continuously. */
  readonly perSecond: number
  /** How many it may send at once. */
  readonly burst: number
}

const SPIKE_LIMITS: SpikeLimits = { perSecond: 100, burst: 1_000 }

/** There is no person to update, so there is nothing to defer. */
const isAnonymous = ({ personProcessing, properties }: PipelineEvent): boolean =>
  personProcessing === 'off' || properties.$process_person_profile === false

/**
 * A token bucket for each project and distinct id. Events above the limit are stored like all others, but their person
 * updates are deferred (see events/deferred.ts), so that one runaway client does not slow down all others. Imports are
 * exempt.
 */
export function spikeStep(limits: SpikeLimits = SPIKE_LIMITS): Step {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (event: PipelineEvent) => {
    if (event.historical || NEVER_DEFERRED.has(event.event) || isAnonymous(event)) return ok()
    const key = `${event.project.id}:${event.distinctId}`
    const bucket = buckets.get(key) ?? { tokens: limits.burst, at: event.receivedAt }
    const elapsed = Math.max(0, event.receivedAt - bucket.at) / 1000
    bucket.tokens = Math.min(limits.burst, bucket.tokens + elapsed * limits.perSecond)
    bucket.at = Math.max(bucket.at, event.receivedAt)
    // Moving the key to the end keeps the map in order of use, so the oldest entry is the first.
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > BUCKETS_KEPT) buckets.delete(buckets.keys().next().value as string)
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return ok()
    }
    if (event.personProcessing === 'full') event.personProcessing = 'deferred'
    return ok(
      warn(event, 'person_processing_deferred_spike', { events_per_second: limits.perSecond, burst: limits.burst }),
    )
  }
}
