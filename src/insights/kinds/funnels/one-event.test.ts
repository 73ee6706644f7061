import { describe, expect, it } from 'vitest'
import { readQuery } from '../../parse/read-query.ts'
import { canBeOneEvent } from './one-event.ts'

const event = (name: string | null, ...properties: object[]) => ({ kind: 'EventsNode', event: name, properties })
const is = (key: string, value: unknown, more: object = {}) => ({
  key,
  value,
  operator: 'exact',
  type: 'event',
  ...more,
})
const anyOf = (...values: object[]) => ({ type: 'OR', values })
const numbers = (from: number) => Array.from({ length: 200 }, (_, at) => String(from + at))
const group = (...nodes: object[]) => ({ kind: 'GroupNode', operator: 'OR', nodes })

function canBeOne(one: object, other: object): boolean {
  const query = readQuery({ kind: 'FunnelsQuery', series: [one, other] })
  if (query.kind !== 'FunnelsQuery') throw new Error('a funnel was asked for')
  const [first, second] = query.series
  if (!first || !second) throw new Error('two steps were asked for')
  return canBeOneEvent(first, second)
}

const APART: Record<string, readonly [object, object]> = {
  'two names': [event('a'), event('b')],
  'two values of a property': [event('a', is('x', '1')), event('a', is('x', '2'))],
  'two lists of values': [event(null, is('x', ['1', '2'])), event('a', is('x', ['3']))],
  'two values among other conditions': [
    event('a', is('x', '1'), is('y', '1')),
    event('a', is('z', '1', { operator: 'icontains' }), is('x', '2')),
  ],
  'two values of the person': [
    event('a', is('x', '1', { type: 'person' })),
    event('a', is('x', '2', { type: 'person' })),
  ],
  'several names': [group(event('a'), event('b')), group(event('c'), event('d'))],
  'a group of which each is apart': [group(event('a', is('x', '1')), event('b')), event('a', is('x', '2'))],
}
const TOGETHER: Record<string, readonly [object, object]> = {
  'the same': [event('a', is('x', '1')), event('a', is('x', '1'))],
  'one that is any event': [event(null), event('b')],
  'one with a condition more': [event('a'), event('a', is('x', '1'))],
  'values in common': [event('a', is('x', ['1', '2'])), event('a', is('x', ['2', '3']))],
  'values of different properties': [event('a', is('x', '1')), event('a', is('y', '2'))],
  'values of the event and of its person': [event('a', is('x', '1')), event('a', is('x', '2', { type: 'person' }))],
  'values of which one is only possible': [
    { ...event('a'), properties: anyOf(is('x', '1'), is('y', '1')) },
    event('a', is('x', '2')),
  ],
  'no value and another': [event('a', is('x', '1', { operator: 'is_not' })), event('a', is('x', '2'))],
  'texts of elements, of which an event has several': [
    event('a', is('text', '1', { type: 'element' })),
    event('a', is('text', '2', { type: 'element' })),
  ],
  'lists that are too long to compare': [event('a', is('x', numbers(0))), event('a', is('x', numbers(1_000)))],
  'a name of several': [group(event('a'), event('b')), event('b')],
}

describe('two steps of a funnel', () => {
  it.each(Object.entries(APART))('%s: no event is both', (_, [one, other]) => {
    expect([canBeOne(one, other), canBeOne(other, one)]).toEqual([false, false])
  })
  it.each(Object.entries(TOGETHER))('%s: one event can be both', (_, [one, other]) => {
    expect([canBeOne(one, other), canBeOne(other, one)]).toEqual([true, true])
  })
})
