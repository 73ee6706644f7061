import { useState } from 'react'
import { copyText } from '../lib/copy-text.ts'
import { Button } from './controls.tsx'
import { sayFailure } from './toast.tsx'
import './code.css'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    try {
      await copyText(text)
    } catch (error) {
      return sayFailure(error)
    }
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <Button small icon={done ? 'check' : 'copy'} onClick={copy}>
      <span className="copy-word">{done ? 'Copied' : label}</span>
    </Button>
  )
}

export function CodeBlock({
  code,
  label,
  wrap = !code.includes('\n'),
}: {
  code: string
  label: string
  wrap?: boolean
}) {
  return (
    <figure className="code" aria-label={label}>
      {/* Long lines wrap, or scroll sideways, reachable by keyboard; a single line, such as a key, is seen whole. */}
      <section aria-label={`${label}: code`} className="code-scroll" tabIndex={0}>
        <pre className={wrap ? 'code-line' : ''}>{code}</pre>
      </section>
      <div className="code-copy">
        <CopyButton text={code} />
      </div>
    </figure>
  )
}
