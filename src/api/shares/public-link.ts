import { findProject, type Project } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { findShare, type Share } from '../../recordings/index.ts'
import type { PublicCall } from '../frame/context.ts'

/** What a link shows belongs in no search engine, and the address, which holds the token, goes to no other site. */
export async function openPublicLink({
  sql,
  params,
  reply,
}: Pick<PublicCall, 'sql' | 'params' | 'reply'>): Promise<{ share: Share; project: Project }> {
  reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex').header('referrer-policy', 'no-referrer')
  const share = await findShare(sql, params.token ?? '')
  const project = share && (await findProject(sql, share.project_id))
  if (!share || !project) throw new ApiError('not_found')
  return { share, project }
}
