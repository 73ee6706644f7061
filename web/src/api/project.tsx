import { createContext, useContext } from 'react'
import type { Project } from './contract.ts'

const Context = createContext<Project | null>(null)
export const ProjectProvider = Context.Provider

/** The current project. Only within the frame. */
export function useProject(): Project {
  const project = useContext(Context)
  if (!project) throw new Error('This page belongs inside a project.')
  return project
}

/** The project's id as the router's parameters want it. */
export function useProjectParams(): { projectId: string } {
  return { projectId: String(useProject().id) }
}
