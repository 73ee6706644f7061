import { describe, expect, it } from 'vitest'
import { changeKind, type Draft, isTyping, readDraft } from './draft.ts'

const DRAFT: Draft = {
  kind: 'trends',
  series: [{ event: 'signed up' }],
  filters: [{ key: 'plan', type: 'person', operator: 'icontains', value: 'te' }],
}

describe('the history of a question', () => {
  it('typing a value, a formula or a window changes its entry', () => {
    const filters = [{ key: 'plan', type: 'person' as const, operator: 'icontains', value: 'team' }]
    expect(isTyping(DRAFT, { ...DRAFT, filters })).toBe(true)
    expect(isTyping(DRAFT, { ...DRAFT, formula: 'A / 2' })).toBe(true)
    expect(isTyping({ ...DRAFT, window: 1 }, { ...DRAFT, window: 14 })).toBe(true)
  })

  it('choosing something else makes a new one', () => {
    expect(isTyping(DRAFT, { ...DRAFT, series: [{ event: 'paid' }] })).toBe(false)
    expect(isTyping(DRAFT, { ...DRAFT, interval: 'week' })).toBe(false)
    expect(isTyping(DRAFT, { ...DRAFT, filters: [] })).toBe(false)
    const chosen = (value: string[]): Draft => ({
      ...DRAFT,
      filters: [{ key: 'plan', type: 'person', operator: 'exact', value }],
    })
    expect(isTyping(chosen(['free']), chosen(['free', 'team']))).toBe(false)
  })
})

describe('a question of another kind', () => {
  it('keeps what still makes sense', () => {
    const funnel = changeKind({ ...DRAFT, series: [{ event: 'signed up', math: 'dau' }], from: '-90d' }, 'funnel')
    expect(funnel).toEqual({ kind: 'funnel', series: [{ event: 'signed up' }], filters: DRAFT.filters, from: '-90d' })
    expect(changeKind({ ...DRAFT, breakdown: [{ property: 'plan', type: 'person' }] }, 'lifecycle').breakdown).toBe(
      undefined,
    )
  })
})

describe('an address', () => {
  it('that is no question is none', () => {
    for (const value of [null, 'x', 1, {}, { kind: 'magic', series: [] }, { kind: 'trends' }])
      expect(readDraft(value)).toBe(undefined)
    expect(readDraft({ kind: 'trends', series: [null, 'x', { event: null }] })?.series).toEqual([{ event: null }])
  })

  it('loses what the page could not show, and keeps the rest', () => {
    const written = {
      kind: 'trends',
      series: [{ event: { a: 1 } }, { event: 'paid', filters: 'x' }, { event: 'signed up' }],
      filters: [{ key: 5 }],
      breakdown: 'plan',
      from: 7,
      window: 'long',
      interval: 'week',
    }
    const kept = { kind: 'trends', series: [{ event: 'signed up' }], from: '7', interval: 'week' }
    expect(readDraft(written)).toEqual(kept)
    expect(readDraft(DRAFT)).toEqual(DRAFT)
  })
})
