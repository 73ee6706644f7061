import type { eventWithTime } from 'rrweb'
import { asText } from '../../lib/as-text.ts'

/**
 * Takes out of a recorded page what would tell its site that somebody watches, or from where, and which no policy of
 * ours stops: links that open connections ahead of time, wishes about the referrer, and addresses in inline styles
 * (browsers send our address with backgrounds and fonts that a style asks for, whatever the referrer policy says).
 * Pictures, videos and linked styles stay; the page's policy decides about them (recorded-media.ts).
 */
export function quiet(event: eventWithTime): eventWithTime {
  const documents: Tree[] = []
  // Not by recursion: a recorded tree may be deeper than the stack.
  const waiting: unknown[] = [event.data]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const tree = value as Tree
    silenceElement(tree)
    for (const [name, inner] of Object.entries(tree))
      if (typeof inner === 'string') silenceText(tree, name, inner)
      else if (inner !== undefined) waiting.push(inner)
    if (tree.type === DOCUMENT && Array.isArray(tree.childNodes)) documents.push(tree)
  }
  for (const { childNodes } of documents) sendNoReferrer(childNodes as Tree[])
  return event
}

type Tree = Record<string, unknown>

const DOCUMENT = 0
const ELEMENT = 2
const CONNECTS = /\b(preconnect|dns-prefetch|prefetch|prerender|preload|modulepreload)\b/i
const ADDRESS_IN_STYLE = /url\(\s*["']?\s*(?:https?:)?\/\/[^)]*\)/gi
const IMPORTED_STYLE = /@import\s[^;]*;?/gi

function silenceElement({ tagName, attributes }: Tree): void {
  if (typeof attributes !== 'object' || attributes === null) return
  const given = attributes as Tree
  if (tagName === 'link' && CONNECTS.test(asText(given.rel))) delete given.href
  if (tagName === 'meta' && /referrer/i.test(asText(given.name))) delete given.content
}

function silenceText(tree: Tree, name: string, text: string): void {
  if (/^referrerpolicy$/i.test(name)) delete tree[name]
  else if (name === 'rel' && CONNECTS.test(text)) tree[name] = ''
  else if (text.includes('url(') || text.includes('@import'))
    tree[name] = text.replace(ADDRESS_IN_STYLE, 'none').replace(IMPORTED_STYLE, '')
}

/**
 * The frame may not take over the policy of our page, so each of its documents says it itself, before anything else.
 */
function sendNoReferrer(ofDocument: readonly Tree[]): void {
  const html = ofDocument.find(({ type }) => type === ELEMENT)
  const children = (of: Tree | undefined) => (Array.isArray(of?.childNodes) ? (of.childNodes as Tree[]) : undefined)
  const head = children(html)?.find(({ tagName }) => tagName === 'head') ?? html
  const attributes = { name: 'referrer', content: 'no-referrer' }
  children(head)?.unshift({ type: ELEMENT, id: nextId++, tagName: 'meta', attributes, childNodes: [] })
}

/** Beyond what a recorder counts to. */
let nextId = 1_000_000_000
