import { ApiError } from '../../http/errors.ts'
import { findPerson, looksLikePersonId, type Person } from '../../identity/index.ts'
import type { ProjectCall } from '../frame/context.ts'

/** The person of the path: an integer id or a uuid. */
export async function personOfPath({
  sql,
  project,
  params,
}: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<Person> {
  const id = params.person_id ?? ''
  if (!looksLikePersonId(id))
    throw new ApiError(
      'invalid_input',
      `The ID provided does not look like a personID. If you are using a distinctId, please use /persons?distinct_id=${id} instead.`,
    )
  const person = await findPerson(sql, project.id, id)
  if (!person) throw new ApiError('not_found')
  return person
}
