import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'

export function PagePending() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton width={200} height={28} />
      <SkeletonRows rows={8} />
    </div>
  )
}

export function PageFailure({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <ErrorState error={error} retry={reset} />
    </div>
  )
}

export function PageMissing() {
  return (
    <div className="page">
      <EmptyState title="There is no such page" action={<Link to="/">Go to the start</Link>}>
        The address may be mistyped, or what it led to is gone.
      </EmptyState>
    </div>
  )
}
