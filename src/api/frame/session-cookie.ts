import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_SECONDS } from '../../accounts/index.ts'

/**
 * The cookie of a signed-in browser. No page's script can read it, and other sites cannot make the browser send it with
 * a change.
 */
const NAME = 'footfall_session'

export function sessionToken(request: FastifyRequest): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=')
    if (name === NAME && /^[0-9A-Za-z]{20,100}$/.test(value)) return value
  }
  return null
}

export function setSessionCookie(reply: FastifyReply, token: string, publicUrl: string): void {
  reply.header('set-cookie', cookie(token, SESSION_SECONDS, publicUrl))
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  reply.header('set-cookie', cookie('', 0, publicUrl))
}

const cookie = (value: string, seconds: number, publicUrl: string) =>
  `${NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`
