import { useMutation } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { csvText } from '../../lib/csv.ts'
import { number } from '../../lib/format.ts'
import { saveFile } from '../../lib/save-file.ts'
import { Button } from '../../ui/controls.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { type Actor, askActors } from './actors.ts'

const AT_ONCE = 1000
/** More than this is for the API, which sends as many as there are. */
const MOST = 20_000
const MOST_PROPERTIES = 200

/** Everybody behind a number as a file, not only those in sight. */
export function PeopleCsv({ title, source }: { title: string; source: unknown }) {
  const project = useProject()
  const save = useMutation({
    mutationFn: () => allActors(project.id, source),
    onSuccess: ({ actors, cut }) => {
      saveFile(`${title}.csv`, new Blob([actorsCsv(actors)], { type: 'text/csv;charset=utf-8' }))
      if (cut) say(`The file has the first ${number(actors.length)}. The API has all of them.`)
    },
    onError: sayFailure,
  })
  return (
    <Button small icon="download" onClick={() => save.mutate()} busy={save.isPending}>
      CSV
    </Button>
  )
}

async function allActors(projectId: number, source: unknown): Promise<{ actors: Actor[]; cut: boolean }> {
  const actors: Actor[] = []
  for (let offset: number | null = 0; offset !== null && actors.length < MOST; ) {
    const page = await askActors(projectId, source, offset, undefined, AT_ONCE)
    actors.push(...page.actors)
    offset = page.next
    if (offset === null) return { actors, cut: false }
  }
  return { actors, cut: true }
}

/** A line each: who, when last seen, and a column for every property that one of them has. */
export function actorsCsv(actors: readonly Actor[]): string {
  const names = [...new Set(actors.flatMap(({ properties }) => Object.keys(properties)))].sort()
  const shown = names.slice(0, MOST_PROPERTIES)
  return csvText([
    ['id', 'name', 'distinct_ids', 'last_seen', ...shown],
    ...actors.map(({ id, name, distinctIds, lastSeen, properties }) => [
      id,
      name,
      distinctIds.join(' '),
      lastSeen,
      ...shown.map((key) => properties[key] ?? null),
    ]),
  ])
}
