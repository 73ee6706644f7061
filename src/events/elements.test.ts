import { expect, it } from 'vitest'
import { elementsIn } from './elements.ts'
import { elementsChainOf } from './elements-chain.ts'

it('reads the elements of a chain, innermost first', () => {
  const chain =
    'button.primary.md:flex:attr__class="primary md:flex"attr__id="buy"attr_id="buy"href="/pay?a=1;b=2"nth-child="1"nth-of-type="2"text="Buy \\"now\\"; or later";div:nth-child="3"nth-of-type="1";body'
  expect(elementsIn(chain)).toEqual([
    {
      text: 'Buy "now"; or later',
      tag_name: 'button',
      attr_class: ['primary', 'md:flex'],
      href: '/pay?a=1;b=2',
      attr_id: 'buy',
      nth_child: 1,
      nth_of_type: 2,
      attributes: { attr__class: 'primary md:flex', attr__id: 'buy' },
      order: 0,
    },
    expect.objectContaining({ tag_name: 'div', attr_class: null, text: null, nth_child: 3, attributes: {}, order: 1 }),
    expect.objectContaining({ tag_name: 'body', attributes: {}, order: 2 }),
  ])
})

it('reads back what it was built of, and makes nothing of nothing', () => {
  const $elements = [{ tag_name: 'a', $el_text: 'x;y', attr__href: '/z', attr__class: 'k', nth_child: 4 }]
  expect(elementsIn(elementsChainOf({ $elements }))).toMatchObject([
    { tag_name: 'a', text: 'x;y', href: '/z', attr_class: ['k'], nth_child: 4, attributes: { attr__href: '/z' } },
  ])
  expect(elementsIn('')).toEqual([])
})

it('takes odd and endless chains without failing', () => {
  for (const odd of [';', ':', '"', 'a:b="', 'a:b="\\', 'a:="x"', '.', 'a:__proto__="1"', 'a:nth-child="x"'])
    expect(elementsIn(odd).length).toBeLessThanOrEqual(1)
  expect(elementsIn(`a:text="${'\\"'.repeat(300_000)}"`)[0]?.text).toHaveLength(300_000)
  expect(elementsIn(`a${':b'.repeat(300_000)}`)).toHaveLength(1)
})

it('writes attributes that are lists with commas, and those that are objects as JSON', () => {
  const $elements = [{ tag_name: 'a', attr__list: ['b', 1, null], attr__odd: { toString: 1 } }]
  expect(elementsIn(elementsChainOf({ $elements }))[0]?.attributes).toEqual({
    attr__list: 'b,1,',
    attr__odd: '{"toString":1}',
  })
})
