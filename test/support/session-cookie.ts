import type { Answer } from './service.ts'

/** The cookie that an answer sets, as a browser sends it back. */
export const sessionCookie = ({ headers }: Pick<Answer, 'headers'>): string =>
  (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
