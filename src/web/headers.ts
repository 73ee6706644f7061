/**
 * Scripts and all other content only from this server: a replayed recording shows a page of another site (rrweb
 * rebuilds it in a frame without scripts, which inherits this policy), and that site must not see who watches. With
 * `recorded_media=on` pictures, styles, fonts and videos are loaded from anywhere, without a referrer.
 */
const policy = (elsewhere: string) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'unsafe-inline'${elsewhere}`,
    `img-src 'self' data: blob:${elsewhere}`,
    `font-src 'self' data:${elsewhere}`,
    `media-src 'self' data: blob:${elsewhere}`,
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const OURS = policy('')
const EVERYWHERE = policy(' https: http:')

export const pageHeaders = (query: unknown) => ({
  'content-security-policy':
    (query as { recorded_media?: unknown } | undefined)?.recorded_media === 'on' ? EVERYWHERE : OURS,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  // Pages of a project, and those behind public links, belong in no search engine.
  'x-robots-tag': 'noindex',
})
