import { useState } from 'react'
import { clock, duration } from '../../lib/format.ts'
import { Checkbox } from '../../ui/controls.tsx'
import type { ConsoleLine, RequestLine } from './recorded-lines.ts'

/** What the page wrote to its console; a click seeks to it. */
export function ConsoleLines({ lines, onSeek }: { lines: readonly ConsoleLine[]; onSeek: (ms: number) => void }) {
  const [errors, setErrors] = useState(false)
  const shown = lines.filter(({ level }) => !errors || level === 'error')
  return (
    <Lines only="Errors only" chosen={errors} onChoose={setErrors} empty={shown.length === 0}>
      {shown.map(({ id, at, level, text, from }) => (
        <li key={id}>
          <button type="button" className="recording-line" title={from} onClick={() => onSeek(before(at))}>
            <span className="faint tiny">{clock(at / 1000)}</span>
            <span className={`mono tiny recording-line-text recording-line-${level}`}>
              {level !== 'info' && <span className="unseen">{level === 'error' ? 'Error: ' : 'Warning: '}</span>}
              {text}
            </span>
          </button>
        </li>
      ))}
    </Lines>
  )
}

/** What the page requested; a click seeks to it. */
export function RequestLines({ lines, onSeek }: { lines: readonly RequestLine[]; onSeek: (ms: number) => void }) {
  const [failed, setFailed] = useState(false)
  const shown = lines.filter((line) => !failed || line.failed)
  return (
    <Lines only="Failed only" chosen={failed} onChoose={setFailed} empty={shown.length === 0}>
      {shown.map(({ id, at, method, url, status, ms, failed: bad }) => (
        <li key={id}>
          <button type="button" className="recording-line" title={url} onClick={() => onSeek(before(at))}>
            <span className="faint tiny">{clock(at / 1000)}</span>
            <span className={`mono tiny recording-line-text ${bad ? 'recording-line-error' : ''}`}>
              {method} {shortened(url)}
            </span>
            <span className={`tiny recording-line-end ${bad ? 'recording-line-error' : 'soft'}`}>
              {[status, ms === undefined ? undefined : duration(ms / 1000)]
                .filter((one) => one !== undefined)
                .join(' · ')}
            </span>
          </button>
        </li>
      ))}
    </Lines>
  )
}

function Lines({
  only,
  chosen,
  onChoose,
  empty,
  children,
}: {
  only: string
  chosen: boolean
  onChoose: (chosen: boolean) => void
  empty: boolean
  children: React.ReactNode
}) {
  return (
    <>
      <div className="recording-search">
        <Checkbox checked={chosen} onChange={(event) => onChoose(event.target.checked)}>
          {only}
        </Checkbox>
      </div>
      <ol>{children}</ol>
      {empty && <p className="picker-none">No matches.</p>}
    </>
  )
}

/** A second before, to see it happen. */
const before = (at: number): number => Math.max(0, at - 1_000)

/** Without the site, which is the same for most of them. */
function shortened(url: string): string {
  try {
    const { pathname, search } = new URL(url)
    return pathname + search
  } catch {
    return url
  }
}
