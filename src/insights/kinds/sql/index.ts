export { type Filling, placeholdersOf, type SqlPlan } from './plan.ts'
export { runTable, type SqlOptions } from './run.ts'
export { cellOf } from './wire.ts'
