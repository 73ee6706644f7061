import { userObject, usersById } from '../../accounts/index.ts'
import { pageOf, successSchema } from '../../contract/envelopes.ts'
import { namedListQuerySchema } from '../../contract/resources/action.ts'
import {
  addedToCohortSchema,
  type CohortFields,
  cohortAdditionSchema,
  cohortFieldsSchema,
  cohortRemovalSchema,
  cohortSchema,
} from '../../contract/resources/cohort.ts'
import { listedPersonSchema } from '../../contract/resources/person.ts'
import { ApiError } from '../../http/errors.ts'
import { changeAndCopy, leaveCohort } from '../../identity/index.ts'
import { cohortSize, noteCount, type SavedCohort, savedCohorts, tryCohort } from '../../insights/index.ts'
import { notAllowed } from '../frame/answer.ts'
import { OF_LISTS } from '../frame/body-limits.ts'
import type { ProjectCall } from '../frame/context.ts'
import { readOn } from '../frame/list-positions.ts'
import { only } from '../frame/only.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { insightContext } from '../insights/insight-question.ts'
import { answerPersons } from '../persons/list-persons.ts'
import { PERSON_QUERY } from '../persons/person-query.ts'
import { criteriaOf, listedIn } from './cohort-fields.ts'
import { addToCohort, personsOf } from './cohort-people.ts'

/** Of a cohort that is not saved yet. */
const UNSAVED = 0

/** Cohorts: persons by what they are and did, asked anew each time, or (static) by having been put into them. */
export function addCohortRoutes(routes: ApiRoutes): void {
  routes.addToProject('cohorts/', {
    GET: projectEndpoint({
      summary: 'Cohorts, the newest first, as last counted',
      scope: 'cohort:read',
      query: namedListQuerySchema,
      answer: pageOf(cohortSchema),
      handle: async (call) => {
        const { count, results, hasMore } = await readOn(call, (behind) =>
          savedCohorts.list(call.sql, call.project.id, call.query, behind),
        )
        return envelope(call.url, call.query, count, await cohortRecords(call, results), { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Create a cohort: by criteria, or static, of a list of persons, a CSV file or a query',
      scope: 'cohort:write',
      rate: 'heavy',
      body: cohortFieldsSchema,
      answer: cohortSchema,
      mostBytes: OF_LISTS,
      status: 201,
      handle: async (call) => {
        const { sql, project, caller, body } = call
        const fields = await checked(call, body, undefined)
        const created = await savedCohorts.create(sql, project.id, caller.user.id, fields)
        return oneRecord(call, await filled(call, created, body))
      },
    }),
  })
  const change = projectEndpoint({
    summary: 'Change a cohort, or put more persons into a static one; `deleted` takes it away and brings it back',
    scope: 'cohort:write',
    rate: 'heavy',
    body: cohortFieldsSchema,
    answer: cohortSchema,
    mostBytes: OF_LISTS,
    handle: async (call) => {
      const before = await cohortOf(call, { deletedToo: call.body.deleted === false })
      const changed = await savedCohorts.update(call.sql, before.id, await checked(call, call.body, before))
      return oneRecord(call, changed.deleted ? changed : await filled(call, changed, call.body))
    },
  })
  routes.addToProject('cohorts/:cohort_id/', {
    GET: projectEndpoint({
      summary: 'One cohort, counted anew',
      scope: 'cohort:read',
      rate: 'heavy',
      answer: cohortSchema,
      handle: async (call) => oneRecord(call, await counted(call, await cohortOf(call))),
    }),
    PATCH: change,
    PUT: change,
    DELETE: projectEndpoint({
      summary: 'Refused: take a cohort away by setting `deleted`',
      scope: 'cohort:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
  routes.addToProject('cohorts/:cohort_id/persons/', {
    GET: projectEndpoint({
      summary: 'The persons in a cohort, newest first',
      scope: 'cohort:read',
      rate: 'person',
      query: PERSON_QUERY,
      answer: pageOf(listedPersonSchema),
      handle: async (call) => {
        const { id } = await cohortOf(call)
        return answerPersons(call, { ...call.query, cohort: String(id) })
      },
    }),
  })
  const add = projectEndpoint({
    summary: 'Put persons into a static cohort, by uuid or distinct id',
    scope: 'cohort:write',
    body: cohortAdditionSchema,
    answer: addedToCohortSchema,
    mostBytes: OF_LISTS,
    handle: async (call) => {
      const cohort = await staticCohortOf(call)
      const added = await addToCohort(call, cohort, listedIn(call.body as CohortFields))
      await counted(call, cohort)
      return { success: true, added_count: added }
    },
  })
  routes.addToProject('cohorts/:cohort_id/add_persons_to_static_cohort/', { PATCH: add, POST: add })
  const remove = projectEndpoint({
    summary: 'Take a person out of a static cohort',
    scope: 'cohort:write',
    body: cohortRemovalSchema,
    answer: successSchema,
    handle: async (call) => {
      const cohort = await staticCohortOf(call)
      await changeAndCopy(call, async (tx) => {
        const rows = await leaveCohort(tx, cohort, [call.body.person_id])
        return { result: undefined, rows: { cohort_people: rows } }
      })
      await counted(call, cohort)
      return { success: true }
    },
  })
  routes.addToProject('cohorts/:cohort_id/remove_person_from_static_cohort/', { PATCH: remove, POST: remove })
}

async function cohortOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean } = {},
): Promise<SavedCohort> {
  const found = await savedCohorts.find(sql, project.id, params.cohort_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

async function staticCohortOf(call: ProjectCall): Promise<SavedCohort> {
  const cohort = await cohortOf(call)
  if (cohort.is_static) return cohort
  throw new ApiError('invalid_input', 'Persons are put into static cohorts only: this one has criteria.')
}

/** What is to be stored, once it is known that it can be asked. */
async function checked(call: ProjectCall, body: CohortFields, before: SavedCohort | undefined) {
  const { name, description, groups, filters, query, deleted } = body
  const is_static = before?.is_static ?? body.is_static ?? false
  if (before !== undefined && body.is_static !== undefined && body.is_static !== before.is_static)
    throw new ApiError('invalid_input', 'A cohort stays static, or by criteria: create another one.', {
      attr: 'is_static',
    })
  const saysWho = filters !== undefined || groups !== undefined
  if (!is_static && saysWho) {
    const cohort = { id: before?.id ?? UNSAVED, name: name ?? null, isStatic: false, criteria: criteriaOf(body) }
    await tryCohort(await insightContext(call), cohort, { signal: call.signal })
  }
  if (!is_static && (body.csv !== undefined || query !== undefined || body.distinct_ids || body.person_ids))
    throw new ApiError('invalid_input', 'Persons are put into static cohorts only: send is_static.', {
      attr: 'is_static',
    })
  // What is not said again does not count any more.
  const who = saysWho ? { groups: groups ?? [], filters: filters ?? null } : {}
  return { name, description, ...who, query, deleted, ...(before === undefined ? { is_static } : {}) }
}

/** With whoever was sent along in it, and counted. */
async function filled(call: ProjectCall, cohort: SavedCohort, body: CohortFields): Promise<SavedCohort> {
  if (cohort.is_static) {
    const listed = listedIn(body)
    const behind = body.query === undefined || body.query === null ? [] : await personsOf(call, body.query)
    await addToCohort(call, cohort, { ...listed, uuids: [...listed.uuids, ...behind] })
  }
  return counted(call, cohort)
}

async function counted(call: ProjectCall, cohort: SavedCohort): Promise<SavedCohort> {
  const size = await cohortSize(await insightContext(call), cohort.id, { signal: call.signal })
  return noteCount(call.sql, cohort, size, call.now())
}

const oneRecord = async (call: Pick<ProjectCall, 'sql'>, cohort: SavedCohort) =>
  only(await cohortRecords(call, [cohort]))

export async function cohortRecords({ sql }: Pick<ProjectCall, 'sql'>, cohorts: readonly SavedCohort[]) {
  const users = await usersById(
    sql,
    cohorts.map(({ created_by }) => created_by),
  )
  return cohorts.map((cohort) => {
    const user = cohort.created_by === null ? undefined : users.get(cohort.created_by)
    return {
      id: cohort.id,
      name: cohort.name,
      description: cohort.description,
      groups: cohort.groups,
      deleted: cohort.deleted,
      filters: cohort.filters ?? {},
      query: cohort.query,
      is_calculating: false,
      created_by: user ? userObject(user) : null,
      created_at: cohort.created_at,
      last_calculation: cohort.last_calculation,
      errors_calculating: 0,
      count: cohort.count,
      is_static: cohort.is_static,
      cohort_type: cohort.is_static ? ('static' as const) : ('dynamic' as const),
    }
  })
}
