import { gzipSync } from 'node:zlib'

/** Sessions as posthog-js sends them: a page, then changes of it, pointer moves and typing, the bulky parts packed. */
const WORDS =
  'order cart price total shipping address payment invoice customer product search filter result detail review rating stock delivery return account'.split(
    ' ',
  )
const word = (i: number) => WORDS[(i * 7919) % WORDS.length] as string
const sentence = (i: number, words: number) => Array.from({ length: words }, (_, k) => word(i * 31 + k * k)).join(' ')

interface Node {
  readonly type: number
  readonly id: number
  readonly tagName?: string
  readonly attributes?: Record<string, string>
  readonly textContent?: string
  readonly childNodes?: Node[]
}

/** A page of some 150 kB of rrweb JSON: rows of cards, as shops and dashboards are. */
function page(seed: number): Node {
  let id = 0
  const text = (value: string): Node => ({ type: 3, textContent: value, id: ++id })
  const element = (tagName: string, attributes: Record<string, string>, childNodes: Node[]): Node => ({
    type: 2,
    tagName,
    attributes,
    childNodes,
    id: ++id,
  })
  const card = (i: number): Node =>
    element('div', { class: `card card--${word(i)} col-${i % 12}`, 'data-id': String(seed * 1_000 + i) }, [
      element('a', { href: `/products/${word(i)}-${seed}-${i}?ref=${word(i + 1)}`, class: 'card__link' }, [
        element('img', { src: `/img/${(i * 2654435761) % 99991}.webp`, alt: sentence(i, 4), loading: 'lazy' }, []),
        element('h3', { class: 'card__title' }, [text(sentence(seed + i, 5))]),
      ]),
      element('p', { class: 'card__text' }, [text(sentence(seed * 3 + i, 14))]),
      element('span', { class: 'price' }, [text(`${(i * 37) % 500}.${(i * 13) % 100} EUR`)]),
      element('button', { class: 'button button--primary', type: 'button' }, [text('Add to cart')]),
    ])
  const body = element(
    'body',
    { class: 'shop' },
    Array.from({ length: 150 }, (_, i) => card(i)),
  )
  return { type: 0, id: ++id, childNodes: [element('html', { lang: 'en' }, [element('head', {}, []), body])] }
}

const packed = (value: unknown) => gzipSync(JSON.stringify(value), { level: 1 }).toString('latin1')

/** Whether the bulky parts are packed by the SDK, as posthog-js does, or not, as older ones and those of phones do. */
export type Packing = 'packed' | 'plain'

export interface SampleSession {
  readonly id: string
  readonly bodies: Buffer[]
  /** How many bytes of JSON its events are when unpacked. */
  readonly bytes: number
}

/** The uploads of one session. */
export function sampleSession(seed: number, start: number, token: string, packing: Packing): SampleSession {
  let bytes = 0
  const count = (event: unknown) => {
    bytes += Buffer.byteLength(JSON.stringify(event)) + 1
  }
  const full = (timestamp: number) => {
    const data = { node: page(seed), initialOffset: { left: 0, top: 0 } }
    count({ type: 2, data, timestamp })
    if (packing === 'plain') return { type: 2, data, timestamp }
    return { type: 2, data: packed(data), timestamp, cv: '2024-10' }
  }
  const change = (timestamp: number, i: number) => {
    const adds = Array.from({ length: 6 }, (_, k) => ({
      parentId: 4,
      nextId: null,
      node: {
        type: 2,
        tagName: 'li',
        attributes: { class: `item ${word(i + k)}` },
        childNodes: [],
        id: 10_000 + i * 10 + k,
      },
    }))
    const texts = [{ id: 7 + i, value: sentence(i * seed, 8) }]
    const event = { type: 3, data: { source: 0, texts, attributes: [], removes: [], adds }, timestamp }
    count(event)
    if (packing === 'plain') return event
    const data = { source: 0, texts: packed(texts), attributes: packed([]), removes: packed([]), adds: packed(adds) }
    return { type: 3, data, timestamp, cv: '2024-10' }
  }
  const move = (timestamp: number, i: number) => {
    const positions = Array.from({ length: 10 }, (_, k) => ({
      x: (i * 13 + k * 5) % 1280,
      y: (i * 7 + k * 3) % 800,
      id: 40 + k,
      timeOffset: k * 50 - 500,
    }))
    const event = { type: 3, data: { source: 1, positions }, timestamp }
    count(event)
    return event
  }
  const plain = (event: object) => {
    count(event)
    return event
  }
  const session = `bench-${seed}-${start}`
  const bodies: Buffer[] = []
  for (let part = 0; part < 6; part++) {
    const from = start + part * 10_000
    const events: unknown[] = []
    if (part % 3 === 0) {
      events.push(
        plain({
          type: 4,
          data: { href: `https://shop.example/${word(seed + part)}`, width: 1280, height: 800 },
          timestamp: from,
        }),
      )
      events.push(full(from + 20))
    }
    for (let i = 0; i < 20; i++) {
      events.push(change(from + i * 400 + 50, part * 20 + i), move(from + i * 400 + 100, i))
      if (i % 5 === 0)
        events.push(
          plain({ type: 3, data: { source: 2, type: 2, id: 42 + i, x: i, y: i }, timestamp: from + i * 400 + 150 }),
        )
    }
    const properties = {
      $session_id: session,
      $window_id: `w-${seed}`,
      $snapshot_data: events,
      distinct_id: `user-${seed % 97}`,
      token,
    }
    bodies.push(gzipSync(JSON.stringify([{ event: '$snapshot', properties }]), { level: 1 }))
  }
  return { id: session, bodies, bytes }
}
