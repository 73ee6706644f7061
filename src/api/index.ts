export { API_LANE } from './change-and-copy.ts'
export type { ApiContext } from './context.ts'
export { registerApi } from './register.ts'
