import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { Names } from './schema.ts'

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent-ink)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
])

/** In the editor's own theme, so that it measures lines with the sizes they really have. */
const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--paper)', color: 'var(--ink)', fontSize: '13px', maxHeight: '420px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { minHeight: '190px', fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', borderRight: '1px solid var(--line)', color: 'var(--ink-faint)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-problem': {
    backgroundColor: 'var(--bad-soft)',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--accent-ink)',
  },
})

const markProblem = StateEffect.define<{ from: number; to: number } | null>()
const MARK = Decoration.mark({ class: 'cm-problem' })

/** One place is marked at most; typing anywhere takes the mark away. */
const problems = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { docChanged, effects, newDoc }) {
    const told = effects.find((effect) => effect.is(markProblem))
    if (!told) return docChanged ? Decoration.none : marked
    const { from, to } = told.value ?? { from: 0, to: 0 }
    const end = Math.min(to, newDoc.length)
    return from < end ? Decoration.set(MARK.range(from, end)) : Decoration.none
  },
  provide: (field) => EditorView.decorations.from(field),
})

export interface SqlEditorHandle {
  /** Writes it where the cursor is. */
  insert(text: string): void
}

/** What completion offers comes later than the editor. */
const language = new Compartment()
const speaking = (names: Names) => sql({ schema: names, defaultTable: 'events' })

/** Ctrl Enter runs, Tab indents; Esc and then Tab moves on. */
export function SqlEditor({
  value,
  onChange,
  onRun,
  problem,
  names,
  ref,
}: {
  value: string
  onChange: (text: string) => void
  onRun: () => void
  problem?: { from: number; to: number } | null
  names: Names
  ref?: Ref<SqlEditorHandle>
}) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const calls = useRef({ onChange, onRun })
  calls.current = { onChange, onRun }
  const first = useRef(value)

  useEffect(() => {
    if (!host.current) return
    const run = () => {
      calls.current.onRun()
      return true
    }
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          history(),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          indentUnit.of('  '),
          lineNumbers(),
          highlightActiveLine(),
          drawSelection(),
          bracketMatching(),
          autocompletion(),
          syntaxHighlighting(COLOURS),
          language.of(speaking({})),
          problems,
          LOOK,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = made
    return () => {
      view.current = null
      made.destroy()
    }
  }, [])

  useImperativeHandle(ref, () => ({
    insert(text) {
      const editor = view.current
      if (!editor) return
      editor.dispatch(editor.state.replaceSelection(text))
      editor.focus()
    },
  }))

  // A new value from outside replaces the text; the user's own typing is in the editor already.
  useEffect(() => {
    const doc = view.current?.state.doc
    if (doc && doc.toString() !== value) view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    view.current?.dispatch({ effects: language.reconfigure(speaking(names)) })
  }, [names])

  const [from, to] = [problem?.from, problem?.to]
  useEffect(() => {
    const effects = markProblem.of(from === undefined || to === undefined ? null : { from, to })
    view.current?.dispatch({ effects })
  }, [from, to])

  return <div ref={host} className="sql-editor" />
}
