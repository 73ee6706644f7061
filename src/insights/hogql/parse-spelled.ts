/** Calls with words between their arguments: trim(BOTH x FROM y), extract(year FROM x), substring(x FROM 1 FOR 2). */
import type { Expression, Place } from './ast.ts'
import type { Grammar } from './grammar.ts'
import { call } from './written-call.ts'

export const TRIMS: Readonly<Record<string, string>> = { BOTH: 'trimBoth', LEADING: 'trimLeft', TRAILING: 'trimRight' }

/** From the bracket on; undefined when the call is an ordinary one. */
export function readSpelled(grammar: Grammar, name: string, place: Place): Expression | undefined {
  const { cursor } = grammar
  const [first, second] = [cursor.peek(1), cursor.peek(2)]
  const word = first.kind === 'word' ? first.text.toUpperCase() : ''
  switch (name.toLowerCase()) {
    case 'trim':
      return Object.hasOwn(TRIMS, word) ? readTrim(grammar) : undefined
    case 'extract':
      return word !== '' && /^from$/i.test(second.text) ? readExtract(grammar, place) : undefined
    case 'substring':
      return readSubstring(grammar, name, place)
    default:
      return undefined
  }
}

function readTrim(grammar: Grammar): Expression {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const name = TRIMS[cursor.next().text.toUpperCase()] as string
  const characters = cursor.isWord('FROM') ? null : grammar.expression()
  cursor.expectWord('FROM')
  const of = grammar.expression()
  cursor.expectSymbol(')')
  return call(name, characters ? [of, characters] : [of])
}

function readExtract(grammar: Grammar, place: Place): Expression {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const part = cursor.next().text.toLowerCase()
  cursor.expectWord('FROM')
  const of = grammar.expression()
  cursor.expectSymbol(')')
  return call('date_part', [{ kind: 'string', value: part }, of], place)
}

/** With words or with commas. */
function readSubstring(grammar: Grammar, name: string, place: Place): Expression {
  const { cursor } = grammar
  cursor.expectSymbol('(')
  const args = [grammar.aliased()]
  if (cursor.takeWord('FROM')) {
    args.push(grammar.expression())
    if (cursor.takeWord('FOR')) args.push(grammar.expression())
  } else while (cursor.takeSymbol(',')) args.push(grammar.aliased())
  cursor.expectSymbol(')')
  return call(name, args, place)
}
