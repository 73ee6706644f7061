export type { ApiContext } from './context.ts'
export { registerApi } from './register.ts'
