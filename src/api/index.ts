export { API_LANE, type CopiedRows, changeAndCopy } from './frame/change-and-copy.ts'
export type { ApiContext } from './frame/context.ts'
export { registerApi } from './register.ts'
