import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import './toast.css'

interface Message {
  id: number
  text: string
  tone: 'good' | 'bad'
  undo?: (() => void) | undefined
}

const UNDO_MS = 10_000

let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()
const change = (next: readonly Message[]) => {
  messages = next
  for (const listener of listeners) listener()
}

function show(message: Omit<Message, 'id'>, forMs: number): void {
  const id = nextId++
  change([...messages, { ...message, id }].slice(-4))
  setTimeout(() => dismiss(id), forMs)
}

const dismiss = (id: number) => change(messages.filter((message) => message.id !== id))

/** Says briefly that something is done, or that it failed and why. */
export const say = (text: string, tone: 'good' | 'bad' = 'good'): void =>
  show({ text, tone }, tone === 'good' ? 3_500 : 8_000)

/** Says that something was taken away, and for ten seconds offers to bring it back. */
export const sayUndoable = (text: string, undo: () => Promise<unknown>): void =>
  show({ text, tone: 'good', undo: () => void undo().catch(sayFailure) }, UNDO_MS)

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
      {shown.map(({ id, text, tone, undo }) => (
        <div key={id} className={`toast toast-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} size={16} />
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              className="toast-undo"
              onClick={() => {
                dismiss(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
