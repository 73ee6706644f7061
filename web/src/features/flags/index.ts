export { PersonFlags } from './person-flags.tsx'
