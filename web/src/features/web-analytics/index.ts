export { SharedWeb } from './shared-web.tsx'
