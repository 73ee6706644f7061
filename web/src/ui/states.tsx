import { type ReactNode, useEffect, useRef } from 'react'
import { ApiFailure } from '../lib/api-failure.ts'
import { isMissingCode } from '../lib/missing-code.ts'
import { Button } from './controls.tsx'
import { Icon, type IconName } from './icon.tsx'
import './states.css'

/** A grey placeholder in the shape of what is loading. */
export function Skeleton({
  width = '100%',
  height = 14,
  radius = 4,
  inline,
}: {
  width?: number | string
  height?: number | string
  radius?: number
  /** Within a line of text, aligned as the text is. */
  inline?: boolean
}) {
  return (
    <span
      className={`skeleton ${inline ? 'skeleton-inline' : ''}`}
      style={{ width, height, borderRadius: radius }}
      aria-hidden="true"
    />
  )
}

export function SkeletonRows({ rows = 8, height = 20 }: { rows?: number; height?: number }) {
  return (
    <div className="skeleton-rows" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => 96 - ((i * 37) % 40)).map((width) => (
        <Skeleton key={width} height={height} width={`${width}%`} />
      ))}
    </div>
  )
}

/** For what still shows the answer to the question before: grey, and said to be busy. */
export const dimmedWhile = (stale: boolean, className = '') => ({
  className: stale ? `${className} dimmed` : className,
  'aria-busy': stale || undefined,
})

export function EmptyState({
  icon = 'search',
  title,
  children,
  action,
}: {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} size={22} />
      </span>
      <p className="strong">{title}</p>
      {children && <p className="soft small state-text">{children}</p>}
      {action}
    </div>
  )
}

/** What happened and what to do, in words. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, text } = describe(error)
  useRetry(error instanceof ApiFailure && error.status === 0 ? retry : undefined)
  return (
    <div className="state" role="alert">
      <span className="state-icon state-icon-warn">
        <Icon name="alert" size={22} />
      </span>
      <p className="strong">{title}</p>
      <p className="soft small state-text">{text}</p>
      {retry && !isGone(error) && (
        <Button icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Trying again would not find it either. */
const isGone = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404 && !error.missing

const RETRY_MS = 3_000

/** Retries by itself until the service responds again. */
function useRetry(retry: (() => void) | undefined) {
  const latest = useRef(retry)
  latest.current = retry
  const wanted = retry !== undefined
  useEffect(() => {
    if (!wanted) return
    const timer = setInterval(() => latest.current?.(), RETRY_MS)
    return () => clearInterval(timer)
  }, [wanted])
}

export function describe(error: unknown): { title: string; text: string } {
  if (isMissingCode(error))
    return {
      title: 'This part of the page could not be loaded',
      text: 'The service was unavailable for a moment or has been updated. Try again to reload the page.',
    }
  if (!(error instanceof ApiFailure)) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      title: 'Something went wrong on this page',
      text: `This is a bug in the page; your data is safe. Try again, or report it with this message: ${message.slice(0, 160)}`,
    }
  }
  if (error.status === 0)
    return {
      title: 'The service is not responding',
      text: 'Check that Footfall is running. This page retries automatically.',
    }
  if (error.missing)
    return {
      title: 'Not available',
      text: 'This version of Footfall does not support this page. Update Footfall to use it.',
    }
  if (error.status === 403) return { title: 'You do not have access', text: error.message }
  if (error.status === 404)
    return { title: 'Not found', text: 'It may have been deleted, or it belongs to another project.' }
  if (error.status >= 500) return { title: 'The service reported an error', text: error.message }
  return {
    title: 'The service rejected this request',
    text: error.message,
  }
}
