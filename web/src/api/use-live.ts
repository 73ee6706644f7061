import { useEffect, useRef, useState } from 'react'
import type { Properties } from '../lib/json.ts'
import { inProject } from './http.ts'

export interface LiveEvent {
  /** Made here: dropped events have no uuid. */
  key: number
  outcome: 'stored' | 'dropped'
  uuid: string | null
  event: string | null
  distinct_id: string | null
  person_id: string | null
  timestamp: string
  received_at: string
  properties: Properties
  warnings: { type: string; title: string; happened: string; fix: string }[]
}

export interface Live {
  state: 'connecting' | 'open' | 'lost'
  events: readonly LiveEvent[]
  stored: number
  warned: number
  /** Events per second, over the last ten. */
  rate: number
}

const MOST_KEPT = 500
const RECONNECT_MS = 3_000
const NOTHING: Live = { state: 'connecting', events: [], stored: 0, warned: 0, rate: 0 }

/** Events as they arrive. While paused, events are counted but not shown. */
export function useLive(projectId: number, paused = false): Live {
  const [live, setLive] = useState<Live>(NOTHING)
  const held = useRef(paused)
  held.current = paused
  const nextKey = useRef(1)

  useEffect(() => {
    const arrivals: { at: number; count: number }[] = []
    setLive(NOTHING)
    let source: EventSource
    let again: ReturnType<typeof setTimeout> | undefined
    const connect = () => {
      source = new EventSource(inProject(projectId, 'live/'))
      source.addEventListener('hello', () => setLive((was) => ({ ...was, state: 'open' })))
      source.addEventListener('batch', (message) => take((message as MessageEvent<string>).data))
      source.addEventListener('error', () => {
        setLive((was) => ({ ...was, state: 'lost' }))
        // The browser tries again by itself after silence, but not after a refusal, such as a 503 while the service
        // starts.
        if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, RECONNECT_MS)
      })
    }
    const take = (batch: string) => {
      const { stored, warned, events } = JSON.parse(batch)
      arrivals.push({ at: Date.now(), count: stored })
      const fresh: LiveEvent[] = held.current
        ? []
        : events.map((event: LiveEvent) => ({ ...event, key: nextKey.current++ })).reverse()
      setLive((was) => ({
        ...was,
        state: 'open',
        stored: was.stored + stored,
        warned: was.warned + warned,
        events: [...fresh, ...was.events].slice(0, MOST_KEPT),
        rate: rateOf(arrivals),
      }))
    }
    connect()
    const timer = setInterval(
      () => setLive((was) => (was.rate === rateOf(arrivals) ? was : { ...was, rate: rateOf(arrivals) })),
      2_000,
    )
    return () => {
      clearInterval(timer)
      clearTimeout(again)
      source.close()
    }
  }, [projectId])

  return live
}

function rateOf(arrivals: { at: number; count: number }[]): number {
  const since = Date.now() - 10_000
  while (arrivals[0] && arrivals[0].at < since) arrivals.shift()
  return arrivals.reduce((sum, { count }) => sum + count, 0) / 10
}
