import type { eventWithTime } from 'rrweb'
import { expect, it } from 'vitest'
import { quiet } from './quiet.ts'

const element = (tagName: string, attributes: Record<string, unknown>, childNodes: object[] = []) => ({
  type: 2,
  id: 1,
  tagName,
  attributes,
  childNodes,
})

it('a recorded page opens no connection ahead of time and says nothing about the referrer', () => {
  const page = element('html', {}, [
    element('link', { rel: 'preconnect', href: 'https://seen.example' }),
    element('link', { rel: 'stylesheet', href: 'https://styles.example' }),
    element('style', {
      _cssText: 'p{background:url("https://seen.example/a.png")}@import "//seen.example/b.css";b{color:red}',
    }),
    element('p', { style: 'background: url( //seen.example/c.png ) red; mask: url(data:image/png;base64,AA==)' }),
    element('meta', { name: 'referrer', content: 'unsafe-url' }),
    element('img', { src: 'https://pictures.example/a.png', referrerPolicy: 'unsafe-url' }),
  ])
  const added = element('link', { rel: 'dns-prefetch', href: 'https://seen.example' })
  const events = [
    {
      type: 2,
      timestamp: 1,
      data: { node: { type: 0, id: 1, childNodes: [page] }, initialOffset: { left: 0, top: 0 } },
    },
    {
      type: 3,
      timestamp: 2,
      data: {
        source: 0,
        adds: [{ parentId: 1, nextId: null, node: added }],
        attributes: [{ id: 1, attributes: { referrerpolicy: 'unsafe-url', rel: 'preconnect', alt: 'kept' } }],
      },
    },
  ] as unknown as eventWithTime[]
  const text = JSON.stringify(events.map(quiet))
  expect(text).not.toMatch(/seen\.example|unsafe-url|preconnect","alt/)
  expect(text).toContain(
    '"childNodes":[{"type":2,"id":1000000000,"tagName":"meta","attributes":{"name":"referrer","content":"no-referrer"}',
  )
  expect(text).toContain('https://pictures.example/a.png')
  expect(text).toContain('https://styles.example')
  expect(text).toContain('b{color:red}')
  expect(text).toContain('url(data:image/png;base64,AA==)')
  expect(text).toContain('"alt":"kept"')
})
