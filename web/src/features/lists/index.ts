export { ListPage } from './list-page.tsx'
