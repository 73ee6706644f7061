import { useEffect, useRef } from 'react'

const JUMP_MS = 5_000

/** Space plays and pauses, arrows jump, unless the focused element uses the key itself. */
export function usePlayerKeys(calls: { toggle: () => void; jump: (ms: number) => void }): void {
  const latest = useRef(calls)
  latest.current = calls
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const does = actionOf(event, latest.current)
      if (!does || event.ctrlKey || event.metaKey || event.altKey) return
      does()
      event.preventDefault()
    }
    // Before the slider of the timeline sees it: an arrow means the same there as anywhere.
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [])
}

type Calls = Parameters<typeof usePlayerKeys>[0]

function actionOf({ key, target }: KeyboardEvent, { toggle, jump }: Calls): (() => void) | undefined {
  if (key === ' ') return isIn(target, `${WRITTEN_INTO}, ${CHOSEN_FROM}, ${PRESSED}`) ? undefined : toggle
  if (isIn(target, `${WRITTEN_INTO}, ${CHOSEN_FROM}`)) return undefined
  if (key === 'ArrowLeft') return () => jump(-JUMP_MS)
  if (key === 'ArrowRight') return () => jump(JUMP_MS)
  return undefined
}

const WRITTEN_INTO =
  'input:not([type="range"]):not([type="radio"]):not([type="checkbox"]), textarea, select, [role="dialog"], [role="menu"], [contenteditable]'
/** Arrows choose among these. */
const CHOSEN_FROM = 'input[type="radio"], [role="tab"], [role="listbox"]'
/** Space presses these. */
const PRESSED = 'button, a, input[type="checkbox"]'

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof HTMLElement && target.closest(selector) !== null

/** Whether a key press is typed text. */
export const isTyping = (target: EventTarget | null): boolean => isIn(target, WRITTEN_INTO)
