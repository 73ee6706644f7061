import { type ReactNode, useEffect } from 'react'
import './page.css'

/** The frame of a page: its name, what can be done, and then its content. */
export function Page({
  title,
  sub,
  actions,
  actionsBeside,
  children,
  wide,
}: {
  title: ReactNode
  sub?: ReactNode
  actions?: ReactNode
  /** They need so little room that they stand beside the title on a phone too. */
  actionsBeside?: boolean
  children: ReactNode
  wide?: boolean
}) {
  const name = typeof title === 'string' ? title : undefined
  useEffect(() => {
    if (name) document.title = `${name} · Footfall`
  }, [name])
  return (
    <div className={`page ${wide ? 'page-wide' : ''}`}>
      <header className={`page-head ${actionsBeside ? 'page-head-beside' : ''}`}>
        <div className="grow">
          {typeof title === 'string' ? <h1 className="truncate">{title}</h1> : title}
          {sub && <div className="soft small">{sub}</div>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function Card({
  title,
  action,
  children,
  flush,
}: {
  title?: ReactNode
  action?: ReactNode
  children: ReactNode
  flush?: boolean
}) {
  return (
    <section className={`card ${flush ? 'card-flush' : ''}`}>
      {(title || action) && (
        <header className="card-head">
          {typeof title === 'string' ? <h2>{title}</h2> : title}
          {action}
        </header>
      )}
      {children}
    </section>
  )
}
