export { type OpenProjectDirectory, postgresProjectDirectory } from './postgres-project-directory.ts'
export type { ProjectDirectory, ProjectSettings } from './project-directory.ts'
export { type Appended, type CaptureDeps, registerCapture } from './register.ts'
