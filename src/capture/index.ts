export { type OpenProjectDirectory, postgresProjectDirectory } from './projects/postgres-project-directory.ts'
export type { ProjectDirectory, ProjectSettings } from './projects/project-directory.ts'
export { type Appended, type CaptureDeps, registerCapture } from './register.ts'
