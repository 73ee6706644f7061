import { createContext, useContext } from 'react'
import type { Panel } from '../panels/index.ts'
import type { WebState } from './search.ts'

/** Where the page stands: in a project, or behind a public link, which leads to nobody. */
export interface WebSource {
  /** Where its questions go. */
  readonly url: string
  readonly zone: string
  /** None behind a public link. */
  readonly projectId: string | null
  readonly state: WebState
  readonly change: (next: Partial<WebState>, options?: { replace?: boolean }) => void
  /** Opens the people behind a number; there are none to see behind a public link. */
  readonly open: ((panel: Panel) => void) | null
}

const Context = createContext<WebSource | null>(null)
export const WebSourceProvider = Context.Provider

export function useWebSource(): WebSource {
  const source = useContext(Context)
  if (!source) throw new Error('A part of web analytics belongs on its page.')
  return source
}
