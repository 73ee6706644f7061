export { API_LANE, type CopiedRows, changeAndCopy } from './change-and-copy.ts'
export type { ApiContext } from './context.ts'
export { registerApi } from './register.ts'
