import type { EventDefinition } from '../../api/contract.ts'

/** What people wrote beside a definition of an event or a property. */
export type DefinitionNotes = Pick<
  EventDefinition,
  'description' | 'tags' | 'hidden' | 'verified' | 'verified_at' | 'verified_by'
>
