import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FeatureFlag } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { Badge, Button } from '../../ui/controls.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { stateOf } from './sentences.ts'

export function State({ flag }: { flag: FeatureFlag }) {
  const { text, tone } = stateOf(flag)
  return <Badge tone={tone}>{text}</Badge>
}

/** Turns a flag on or off at once. */
export function Switch({ flag }: { flag: FeatureFlag }) {
  const project = useProject()
  const client = useQueryClient()
  const turn = useMutation({
    mutationFn: () =>
      ask<FeatureFlag>(inProject(project.id, `feature_flags/${flag.id}/${flag.active ? 'disable' : 'enable'}/`), {
        method: 'POST',
      }),
    onSuccess: async ({ active, key }) => {
      say(active ? `${key} is on` : `${key} is off`)
      await refreshFlags(client)
    },
    onError: sayFailure,
  })
  return (
    <Button busy={turn.isPending} onClick={() => turn.mutate()}>
      {flag.active ? 'Turn off' : 'Turn on'}
    </Button>
  )
}

/** After a change: whatever shows flags asks again. */
export const refreshFlags = (client: ReturnType<typeof useQueryClient>) =>
  Promise.all(
    ['feature-flags', 'feature-flag', 'flag-activity', 'flag-evaluation', 'person-flags', 'scheduled-changes'].map(
      (key) => client.invalidateQueries({ queryKey: [key] }),
    ),
  )
