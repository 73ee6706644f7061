import { useRef } from 'react'

/** The value of an earlier render as long as it says the same: for dependencies that are made anew each time. */
export function useStable<T>(value: T): T {
  const kept = useRef(value)
  if (kept.current !== value && JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value
  return kept.current
}
