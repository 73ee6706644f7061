import { autocompletion } from '@codemirror/autocomplete'
import { sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

const SCHEMA = {
  events: [
    'uuid',
    'event',
    'timestamp',
    'distinct_id',
    'person_id',
    'properties',
    'elements_chain',
    'created_at',
    '$session_id',
  ],
  persons: ['id', 'created_at', 'properties', 'is_identified'],
  person_distinct_ids: ['distinct_id', 'person_id'],
  groups: ['index', 'key', 'created_at', 'updated_at', 'properties'],
  sessions: [
    'session_id',
    'distinct_id',
    '$start_timestamp',
    '$end_timestamp',
    '$entry_current_url',
    '$entry_pathname',
    '$pageview_count',
    '$session_duration',
    '$is_bounce',
  ],
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent-ink)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
])

/** Ctrl Enter runs; Tab moves on, as everywhere else. */
export function SqlEditor({
  value,
  onChange,
  onRun,
}: {
  value: string
  onChange: (text: string) => void
  onRun: () => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const calls = useRef({ onChange, onRun })
  calls.current = { onChange, onRun }
  const first = useRef(value)

  useEffect(() => {
    if (!host.current) return
    const run = () => {
      calls.current.onRun()
      return true
    }
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          lineNumbers(),
          highlightActiveLine(),
          drawSelection(),
          bracketMatching(),
          autocompletion(),
          syntaxHighlighting(COLOURS),
          sql({ schema: SCHEMA }),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [])

  return <div ref={host} className="sql-editor" />
}
