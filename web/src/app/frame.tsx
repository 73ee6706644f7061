import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { ProjectProvider } from '../api/project.tsx'
import { project as projectQuery } from '../api/queries.ts'
import { ErrorState } from '../ui/states.tsx'
import { PagePending } from './fallbacks.tsx'
import { partCode } from './page-code.ts'
import { Rail } from './rail.tsx'
import { TopLine } from './top-line.tsx'
import './frame.css'

const Palette = lazy(() => partCode(() => import('./palette.tsx')).then((module) => ({ default: module.Palette })))
const PanelStack = lazy(() =>
  partCode(() => import('../features/panels/panel-stack.tsx')).then((module) => ({ default: module.PanelStack })),
)

/** The frame of every page of a project: navigation rail, top line, search, and open panels. */
export function Frame() {
  const { projectId } = useParams({ from: '/project/$projectId' })
  const { data: project, error, refetch } = useQuery(projectQuery(projectId))
  const [searching, setSearching] = useState(false)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setSearching((was) => !was)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  useEffect(() => localStorage.setItem('footfall.project', projectId), [projectId])

  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Rail projectId={projectId} />
      <div className="frame-main">
        <TopLine projectId={projectId} project={project} missing={error !== null} onSearch={() => setSearching(true)} />
        <main id="content" className="frame-content" tabIndex={-1}>
          {project ? (
            <ProjectProvider value={project}>
              <Outlet />
              <Suspense>
                <PanelStack />
              </Suspense>
              <Suspense>{searching && <Palette onClose={() => setSearching(false)} />}</Suspense>
            </ProjectProvider>
          ) : error ? (
            <div className="page">
              <ErrorState error={error} retry={() => refetch()} />
            </div>
          ) : (
            <PagePending />
          )}
        </main>
      </div>
    </div>
  )
}
