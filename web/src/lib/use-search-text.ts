import { useEffect, useRef, useState } from 'react'
import { useDebounced } from './use-debounced.ts'

/** What is typed into a page's search box; a moment later it is asked for and put into the address by `onSettled`. */
export function useSearchText(inAddress = '', onSettled: (text: string | undefined) => void) {
  const [typed, setTyped] = useState(inAddress)
  const text = useDebounced(typed.trim(), 200)
  const settle = useRef(onSettled)
  settle.current = onSettled
  useEffect(() => {
    if (text !== inAddress) settle.current(text || undefined)
  }, [text, inAddress])
  return { typed, setTyped, text }
}
