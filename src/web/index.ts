export { registerWebApp } from './web-app.ts'
