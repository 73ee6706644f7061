import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useDebounced } from './use-debounced.ts'

/** What is typed into a page's search box; a moment later it is asked for and stands in the address. */
export function useSearchText() {
  const { search = '' } = useSearch({ strict: false }) as { search?: string | number }
  const navigate = useNavigate()
  const [typed, setTyped] = useState(String(search))
  const text = useDebounced(typed.trim(), 200)
  const known = String(search)
  useEffect(() => {
    if (text !== known)
      void navigate({
        to: '.',
        search: ((was: object) => ({ ...was, search: text || undefined, offset: undefined })) as never,
        replace: true,
        resetScroll: false,
      })
  }, [text, known, navigate])
  return { typed, setTyped, text }
}
