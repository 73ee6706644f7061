/** Where in the text an error is, as far as its message says. */
export interface Place {
  from: number
  to: number
  line: number
  column: number
}

const AT = /line (\d+), column (\d+)/
const FIELD = /Unable to resolve field: (\S+)/
const QUOTED = /"((?:[^"\\]|\\.)+)"/g
const ENDS = /^The query ends/

export function placeOf(message: string, text: string): Place | null {
  const at = AT.exec(message)
  if (at) {
    const from = offsetOf(text, Number(at[1]), Number(at[2]))
    return place(text, from, wordLength(text, from))
  }
  if (ENDS.test(message)) return place(text, Math.max(text.trimEnd().length - 1, 0), 1)
  const names = [FIELD.exec(message)?.[1], ...[...message.matchAll(QUOTED)].map(([, name]) => name)]
  for (const name of names) {
    const found = name === undefined ? -1 : find(text, name)
    if (name !== undefined && found >= 0) return place(text, found, name.length)
  }
  return null
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((length, each) => length + each.length + 1, 0) + column - 1
}

function place(text: string, wanted: number, length: number): Place | null {
  if (text === '') return null
  const from = Math.min(Math.max(wanted, 0), text.length - 1)
  const before = text.slice(0, from).split('\n')
  return {
    from,
    to: Math.min(from + Math.max(length, 1), text.length),
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  }
}

const wordLength = (text: string, from: number): number => /^[\w$.]+/.exec(text.slice(from))?.[0].length ?? 1

/** A whole name, not a part of another one. */
function find(text: string, name: string): number {
  const low = text.toLowerCase()
  const wanted = name.toLowerCase()
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + 1)) {
    const inside = (character: string | undefined) => character !== undefined && /[\w$]/.test(character)
    if (!inside(text[at - 1]) && !inside(text[at + wanted.length])) return at
  }
  return -1
}
