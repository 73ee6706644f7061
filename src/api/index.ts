export { registerApi } from './register.ts'
