import { type RefObject, useEffect } from 'react'

/** Calls back when the pointer goes down, or the focus goes, outside the element. */
export function useOutside(ref: RefObject<HTMLElement | null>, active: boolean, onOutside: () => void): void {
  useEffect(() => {
    if (!active) return
    const check = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) onOutside()
    }
    document.addEventListener('pointerdown', check)
    document.addEventListener('focusin', check)
    return () => {
      document.removeEventListener('pointerdown', check)
      document.removeEventListener('focusin', check)
    }
  }, [ref, active, onOutside])
}
