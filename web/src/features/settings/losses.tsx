import { useQuery } from '@tanstack/react-query'
import type { Project, RetentionPreview } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { plural } from '../../lib/format.ts'
import { datesBetween } from '../../lib/ranges.ts'

/** How much a shorter retention deletes, and of which time: in the dialog that asks for it. */
export function Losses({ changes, project }: { changes: Record<string, unknown>; project: Project }) {
  const { data_retention_days: events, recording_retention_days: recordings } = changes
  const { data, error } = useQuery({
    queryKey: ['retention-preview', project.id, events, recordings],
    queryFn: ({ signal }) =>
      ask<RetentionPreview>(inProject(project.id, 'retention_preview/'), {
        query: {
          ...(typeof events === 'number' ? { data_retention_days: events } : {}),
          ...(typeof recordings === 'number' ? { recording_retention_days: recordings } : {}),
        },
        signal,
      }),
    staleTime: 0,
    retry: false,
  })
  if (error) return `It could not be counted what goes: ${error.message}`
  if (!data) return 'Counting what will be deleted'
  const parts = [
    gone(data.events, 'event', project.timezone),
    gone(data.recordings, 'recording', project.timezone),
  ].filter((part) => part !== null)
  return parts.length === 0
    ? 'Nothing is that old yet: nothing is deleted now. From here on, what gets older is.'
    : `The next daily run deletes ${parts.join(' and ')}, for good. They cannot be brought back.`
}

function gone(part: RetentionPreview['events'], word: string, zone: string): string | null {
  if (!part || part.count === 0 || part.from === null || part.to === null) return null
  return `${plural(part.count, word)} of ${datesBetween(part.from, part.to, zone)}`
}
