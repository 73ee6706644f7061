export { readDoors } from './panel.ts'
export { PeopleList, PeopleSkeleton, useActors } from './people-list.tsx'
export { useDoors } from './use-panels.ts'
