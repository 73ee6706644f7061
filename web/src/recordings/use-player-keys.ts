import { useEffect, useRef } from 'react'

const JUMP_MS = 5_000

/** Space plays and pauses, the arrows jump: unless the key belongs to what has the focus. */
export function usePlayerKeys(calls: { toggle: () => void; jump: (ms: number) => void }): void {
  const latest = useRef(calls)
  latest.current = calls
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return
      if (event.key === ' ') latest.current.toggle()
      else if (event.key === 'ArrowLeft') latest.current.jump(-JUMP_MS)
      else if (event.key === 'ArrowRight') latest.current.jump(JUMP_MS)
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

/** Whether what has the focus wants keys for itself. */
export const isTaken = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, button, a, dialog, [role="tab"], [contenteditable]') !== null

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type="range"]):not([type="radio"]):not([type="checkbox"]), textarea, select, dialog') !==
    null
