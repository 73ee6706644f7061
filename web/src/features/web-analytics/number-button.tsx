import type { Json } from '../../lib/json.ts'
import { useWebSource } from './source.tsx'

/** A cell with a number that leads to the people behind it, and through them to their recordings. */
export function NumberButton({
  text,
  about,
  was,
  minor,
  behind,
}: {
  text: string
  /** "visitors, Firefox" */
  about: string
  /** Of the period before. */
  was?: string | undefined
  minor?: boolean | undefined
  /** Null where there is nobody. */
  behind: { readonly title: string; readonly source: { [key: string]: Json } } | null
}) {
  const { open } = useWebSource()
  return (
    <td className={minor ? 'web-minor' : ''} title={was}>
      {open && behind ? (
        <button
          type="button"
          className="web-people"
          aria-label={`${text} ${about}: see the people`}
          onClick={() => open({ to: 'people', ...behind })}
        >
          {text}
        </button>
      ) : (
        text
      )}
    </td>
  )
}
