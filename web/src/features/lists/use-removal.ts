import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/http.ts'
import { say, sayFailure, sayUndoable } from '../../ui/toast.tsx'

/** Something with a name that is taken away by marking it, so that it can be brought back. */
export interface Removable {
  /** Where the API has it. */
  path: string
  name: string
  /** What else that means: said with it. */
  note?: string
  /** The first parts of the keys under which it, and what lists it, is cached. */
  keys: readonly string[]
  /** Goes where it is not shown any more. */
  leave?: () => Promise<void>
}

/** Deletes at once, and offers for ten seconds to bring it back. */
export function useRemoval() {
  const client = useQueryClient()
  const mark = ({ path }: Removable, deleted: boolean) => ask(path, { method: 'PATCH', body: { deleted } })
  // What is on the screen is asked again; what is not (Back leads there) is forgotten.
  const refresh = ({ keys }: Removable) => {
    for (const key of keys) {
      client.removeQueries({ queryKey: [key], type: 'inactive' })
      void client.invalidateQueries({ queryKey: [key] })
    }
  }
  const restore = async (it: Removable) => {
    await mark(it, false)
    refresh(it)
    say(`${it.name} is back`)
  }
  return useMutation({
    mutationFn: (it: Removable) => mark(it, true),
    onSuccess: async (_, it) => {
      await it.leave?.()
      refresh(it)
      sayUndoable(`Deleted ${it.name}.${it.note ? ` ${it.note}` : ''}`, () => restore(it))
    },
    onError: sayFailure,
  })
}
