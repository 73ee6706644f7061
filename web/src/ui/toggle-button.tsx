import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { IconButton } from './controls.tsx'
import type { IconName } from './icon.tsx'
import { sayFailure } from './toast.tsx'

/**
 * A button with an icon that is on or off. It shows at once what was asked for, and is busy until `change` has kept
 * it: `change` returns when the page has read the new value. Clicks made meanwhile are carried out in their order.
 */
export function ToggleButton({
  on,
  labels,
  icon,
  change,
}: {
  on: boolean
  /** What a click does, when it is on and when it is off. */
  labels: { on: string; off: string }
  icon: IconName
  change: (on: boolean) => Promise<unknown>
}) {
  const { mutate, isPending, variables } = useMutation({
    scope: { id: useId() },
    mutationFn: change,
    onError: sayFailure,
  })
  const shown = isPending ? variables : on
  return (
    <IconButton
      label={shown ? labels.on : labels.off}
      icon={icon}
      className={shown ? 'favourite' : ''}
      aria-pressed={shown}
      aria-busy={isPending || undefined}
      onClick={() => mutate(!shown)}
    />
  )
}
