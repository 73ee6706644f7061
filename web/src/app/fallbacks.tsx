import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiFailure } from '../lib/api-failure.ts'
import { isMissingCode } from '../lib/missing-code.ts'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { serviceAnswers } from './page-code.ts'
import '../ui/page.css'

export function PagePending() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton width={200} height={28} />
      <SkeletonRows rows={8} />
    </div>
  )
}

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const unfinished = isMissingCode(error) || (error instanceof ApiFailure && error.status === 0)
  useReturn(unfinished)
  return (
    <div className="page">
      <ErrorState error={error} retry={unfinished ? loadAgain : reset} />
    </div>
  )
}

export function PageMissing() {
  return (
    <div className="page">
      <EmptyState title="Page not found" action={<Link to="/">Go to the start page</Link>}>
        The address may be mistyped, or the page was deleted.
      </EmptyState>
    </div>
  )
}

/** Everything the page showed is in its address. */
const loadAgain = async () => {
  if (await serviceAnswers()) window.location.reload()
}

const LOOK_MS = 3_000

/**
 * Reloads the page when the service is back. If the service responds all the time, it is not the cause, and nothing
 * happens.
 */
function useReturn(wanted: boolean) {
  useEffect(() => {
    if (!wanted) return
    let away = false
    const look = async () => {
      const answers = await serviceAnswers()
      if (answers && away) window.location.reload()
      away ||= !answers
    }
    void look()
    const timer = setInterval(look, LOOK_MS)
    return () => clearInterval(timer)
  }, [wanted])
}
