import { useState } from 'react'
import { Button } from './controls.tsx'
import './code.css'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <Button small icon={done ? 'check' : 'copy'} onClick={copy}>
      {done ? 'Copied' : label}
    </Button>
  )
}

export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <figure className="code" aria-label={label}>
      <div className="code-copy">
        <CopyButton text={code} />
      </div>
      {/* Long lines scroll sideways: reachable by keyboard. */}
      <section aria-label={`${label}: code`} className="code-scroll" tabIndex={0}>
        <pre>{code}</pre>
      </section>
    </figure>
  )
}
