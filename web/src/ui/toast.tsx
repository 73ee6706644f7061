import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import './toast.css'

interface Message {
  id: number
  text: string
  tone: 'good' | 'bad'
}

let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()
const change = (next: readonly Message[]) => {
  messages = next
  for (const listener of listeners) listener()
}

/** Says briefly that something is done, or that it failed and why. */
export function say(text: string, tone: 'good' | 'bad' = 'good'): void {
  const id = nextId++
  change([...messages, { id, text, tone }].slice(-4))
  setTimeout(() => change(messages.filter((message) => message.id !== id)), tone === 'good' ? 3_500 : 8_000)
}

export const sayFailure = (error: unknown): void => say(error instanceof Error ? error.message : String(error), 'bad')

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => messages,
  )
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <div key={id} className={`toast toast-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} size={16} />
          {text}
        </div>
      ))}
    </div>
  )
}
