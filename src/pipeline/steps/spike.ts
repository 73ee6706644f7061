import { type EventDraft, ok, type Step, warn } from './step.ts'

/** Events that change who is who are never put off: everything after them would be attributed wrongly. */
const NEVER_DEFERRED = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set'])
const BUCKETS_KEPT = 50_000

interface SpikeLimits {
  /** Events a second that one distinct id may send for long. */
  readonly perSecond: number
  /** How many it may send at once. */
  readonly burst: number
}

const SPIKE_LIMITS: SpikeLimits = { perSecond: 100, burst: 1_000 }

/** There is no person to update, so there is nothing to put off. */
const isAnonymous = ({ personProcessing, properties }: EventDraft): boolean =>
  personProcessing === 'off' || properties.$process_person_profile === false

/**
 * A token bucket for each project and distinct id. What comes over it is stored like everything else, but its changes to the person
 * are put off (see deferred.ts), so that one runaway client does not slow down everybody. Imports are exempt.
 */
export function spikeStep(limits: SpikeLimits = SPIKE_LIMITS): Step {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (draft: EventDraft) => {
    if (draft.historical || NEVER_DEFERRED.has(draft.event) || isAnonymous(draft)) return ok()
    const key = `${draft.project.id}:${draft.distinctId}`
    const bucket = buckets.get(key) ?? { tokens: limits.burst, at: draft.receivedAt }
    const elapsed = Math.max(0, draft.receivedAt - bucket.at) / 1000
    bucket.tokens = Math.min(limits.burst, bucket.tokens + elapsed * limits.perSecond)
    bucket.at = Math.max(bucket.at, draft.receivedAt)
    // Moving the key to the end keeps the map in order of use, so the oldest can be forgotten.
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > BUCKETS_KEPT) buckets.delete(buckets.keys().next().value as string)
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return ok()
    }
    if (draft.personProcessing === 'full') draft.personProcessing = 'deferred'
    return ok(
      warn(draft, 'person_processing_deferred_spike', { events_per_second: limits.perSecond, burst: limits.burst }),
    )
  }
}
