export { OtherProcesses } from './frame/other-processes.ts'
export { registerApi } from './register.ts'
