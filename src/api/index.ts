export { API_LANE, type CopiedRows, changeAndCopy } from './frame/change-and-copy.ts'
export { registerApi } from './register.ts'
