export { ListPage } from './list-page.tsx'
export { type Removable, useRemoval } from './use-removal.ts'
