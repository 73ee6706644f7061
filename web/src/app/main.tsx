import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onSignedOut } from '../api/http.ts'
import { ApiFailure } from '../lib/api-failure.ts'
import { Toasts } from '../ui/toast.tsx'
import { fetchPages, partCode } from './page-code.ts'
import { router } from './router.tsx'
import { loadSearches } from './search-of.ts'
import '../ui/tokens.css'
import '../ui/base.css'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The service may run on this machine, so being offline does not matter.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      // A refusal would be repeated; only no response and server errors are worth a retry.
      retry: (count, error) => count < 2 && !(error instanceof ApiFailure && error.status > 0 && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
})

onSignedOut(() => {
  const { pathname, href } = router.state.location
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { next: href }, replace: true })
})

const host = document.getElementById('app')
const start = () =>
  host &&
  createRoot(host).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} context={{ client }} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
if (window.location.search === '') start()
else void partCode(loadSearches).then(start)

// Safari has no idle callback.
const whenIdle = window.requestIdleCallback ?? ((later: () => void) => setTimeout(later, 1_000))
window.addEventListener('load', () => whenIdle(() => void fetchPages().then(loadSearches)), { once: true })
