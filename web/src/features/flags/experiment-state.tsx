import type { Experiment } from '../../api/contract.ts'
import { Badge } from '../../ui/controls.tsx'

export function ExperimentState({
  experiment: { start_date, end_date },
}: {
  experiment: Pick<Experiment, 'start_date' | 'end_date'>
}) {
  if (start_date === null) return <Badge>not started</Badge>
  return end_date === null ? <Badge tone="good">running</Badge> : <Badge>ended</Badge>
}
