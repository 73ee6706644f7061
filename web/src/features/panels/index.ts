export type { Panel } from './panel.ts'
export { PeopleList, PeopleSkeleton, useActors } from './people-list.tsx'
export { usePanels } from './use-panels.ts'
