import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { withChange } from './search.ts'
import type { WebSource } from './source.tsx'
import { WebFrame } from './web-frame.tsx'
import { WebView } from './web-view.tsx'

const HERE = '/shared/$token'

/** The page for whoever has a public link to it: its numbers and filters, without a way to people or anything else. */
export function SharedWeb({ token, name, zone }: { token: string; name: string; zone: string }) {
  const navigate = useNavigate({ from: HERE })
  const state = useSearch({ from: HERE })
  const source: WebSource = useMemo(
    () => ({
      url: `/api/shared/${encodeURIComponent(token)}/web_analytics/`,
      zone,
      projectId: null,
      state,
      change: (next, { replace = false } = {}) =>
        void navigate({ search: (was) => withChange(was, next), resetScroll: false, replace }),
      open: null,
    }),
    [token, zone, state, navigate],
  )
  return (
    <WebFrame title={`Web analytics of ${name}`} source={source}>
      <WebView />
    </WebFrame>
  )
}
