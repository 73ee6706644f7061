export { readLayout } from './layout.ts'
