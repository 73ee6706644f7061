import { z } from 'zod'
import { userObject } from '../../accounts/index.ts'
import {
  blastRadiusFieldsSchema,
  blastRadiusSchema,
  evaluationReasonsQuerySchema,
  evaluationReasonsSchema,
  myFlagSchema,
  myFlagsQuerySchema,
  testEvaluationFieldsSchema,
  testEvaluationSchema,
} from '../../contract/resources/flag-management.ts'
import {
  type ConditionAnalysis,
  checkCondition,
  countMatching,
  evaluateFlags,
  type FlagDecision,
  flagsById,
  flagValue,
  readProjectFlags,
  readSubject,
} from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { findPerson, findPersonByDistinctId, looksLikePersonId, type Person } from '../../identity/index.ts'
import { cohortMembers, membershipsOf } from '../../insights/index.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { insightContext } from '../insights/insight-question.ts'
import { embeddedPerson } from '../persons/person-record.ts'
import { flagOf, flagRecords } from './flag-record.ts'

/** What flags are for somebody, and how many people a condition is about: by the rules that SDKs are answered by. */
export function addFlagEvaluationRoutes(routes: ApiRoutes): void {
  routes.addToProject('feature_flags/evaluation_reasons/', {
    GET: projectEndpoint({
      summary: 'What every feature flag is for somebody, and why',
      scope: 'feature_flag:read',
      query: evaluationReasonsQuerySchema,
      answer: evaluationReasonsSchema,
      handle: async (call) => {
        const { distinct_id: distinctId, flag_keys } = call.query
        const decisions = await evaluated(call, { distinctId, groups: groupsIn(call.query.groups) })
        const wanted = decisions.filter(({ key }) => flag_keys === undefined || flag_keys.includes(key))
        return Object.fromEntries(
          wanted.map((decision) => [decision.key, { value: flagValue(decision), evaluation: reasonOf(decision) }]),
        )
      },
    }),
  })
  routes.addToProject('feature_flags/my_flags/', {
    GET: projectEndpoint({
      summary: 'What feature flags are for the caller, by key, a thousand at a time',
      scope: 'feature_flag:read',
      query: myFlagsQuerySchema,
      answer: z.array(myFlagSchema),
      handle: async (call) => {
        const distinctId = userObject(call.caller.user).distinct_id
        const { limit, offset } = call.query
        const decisions = await evaluated(call, { distinctId, groups: {} }, { page: [offset, offset + limit] })
        const ids = decisions.map(({ flag }) => flag.id)
        const flags = await flagsById(call.sql, call.project.id, ids)
        const records = new Map((await flagRecords(call, flags)).map((record) => [record.id, record]))
        return decisions.flatMap((decision) => {
          const feature_flag = records.get(decision.flag.id)
          return feature_flag ? [{ feature_flag, value: flagValue(decision) }] : []
        })
      },
    }),
  })
  routes.addToProject('feature_flags/user_blast_radius/', {
    POST: projectEndpoint({
      summary: 'How many people (or groups) a condition is about',
      scope: 'feature_flag:read',
      rate: 'heavy',
      body: blastRadiusFieldsSchema,
      answer: blastRadiusSchema,
      handle: async (call) => {
        const { project, sql, now } = call
        const { condition, group_type_index = null } = call.body
        await checkCondition(sql, project.id, condition, group_type_index)
        const { matching, total, isEstimate } = await countMatching(sql, {
          project,
          condition,
          groupTypeIndex: group_type_index,
          now: now().getTime(),
          membersOf: async (cohort) => new Set(await cohortMembers(await insightContext(call), cohort, call)),
        })
        return {
          affected: matching,
          total,
          users_affected: matching,
          total_users: total,
          is_estimate: isEstimate,
        }
      },
    }),
  })
  routes.addToProject('feature_flags/:feature_flag_id/test_evaluation/', {
    POST: projectEndpoint({
      summary: 'What a feature flag is for somebody, condition by condition',
      scope: 'feature_flag:read',
      body: testEvaluationFieldsSchema,
      answer: testEvaluationSchema,
      exists: flagOf,
      handle: async (call) => {
        const flag = await flagOf(call)
        const at = momentIn(call)
        const person = await personIn(call)
        const distinctId = call.body.distinct_id ?? person?.distinctIds[0] ?? ''
        const asked = { distinctId, groups: call.body.groups ?? {} }
        const [decision] = await evaluated(call, asked, { at, only: flag.id })
        if (!decision) throw new ApiError('invalid_input', 'The flag has been deleted: bring it back first.')
        return {
          flag_key: flag.key,
          value: flagValue(decision),
          variant: decision.variant,
          payload: decision.payload,
          evaluation: reasonOf(decision),
          conditions: (decision.conditions ?? []).map(conditionOf),
          person: person ? personRecord(person, call) : null,
          distinct_id: distinctId,
          evaluated_at: at,
        }
      },
    }),
  })
}

interface Asked {
  readonly distinctId: string
  readonly groups: JsonObject
}

async function evaluated(
  call: ProjectCall,
  asked: Asked,
  {
    at = call.now(),
    only,
    page = [0],
  }: { readonly at?: Date; readonly only?: number; readonly page?: readonly [from: number, to?: number] } = {},
): Promise<FlagDecision[]> {
  const definitions = await readProjectFlags(call.sql, call.project.id)
  const stored = await readSubject(call.sql, definitions, asked, async (uuid, cohorts) =>
    membershipsOf(await insightContext(call), uuid, cohorts, call),
  )
  const subject = { ...asked, personProperties: {}, groupProperties: {}, stored, now: at.getTime() }
  const chosen =
    only === undefined
      ? definitions.flags.slice(...page)
      : definitions.flags.filter(({ stored: { id } }) => id === only)
  return evaluateFlags(definitions, subject, chosen, { explain: only !== undefined })
}

const reasonOf = ({ reason }: FlagDecision) => ({
  reason: reason.code,
  condition_index: reason.conditionIndex,
  description: reason.description,
})

const conditionOf = (analysis: ConditionAnalysis) => ({
  index: analysis.index,
  matched: analysis.matched,
  reason: analysis.code,
  rollout_percentage: analysis.rolloutPercentage,
  rollout_position: analysis.rolloutHash === null ? null : analysis.rolloutHash * 100,
  variant: analysis.variant,
  properties: analysis.filters.map(({ filter, matched, actual }) => ({
    key: filter.key,
    type: filter.type ?? 'person',
    operator: filter.operator ?? (filter.type === 'cohort' ? 'in' : 'exact'),
    value: (filter.value ?? null) as Json,
    matched,
    actual: actual ?? null,
    is_set: actual !== undefined,
  })),
})

function groupsIn(given: Json | undefined): JsonObject {
  if (given === undefined || given === null || given === '') return {}
  if (isObject(given)) return given
  throw new ApiError('invalid_input', 'Send groups as JSON, such as {"company": "acme"}.', { attr: 'groups' })
}

function momentIn({ body, now }: Pick<ProjectCall<unknown, { timestamp?: string | undefined }>, 'body' | 'now'>): Date {
  if (body.timestamp === undefined) return now()
  const at = new Date(body.timestamp)
  if (Number.isNaN(at.getTime()))
    throw new ApiError('invalid_input', 'Send a time such as 2026-05-01T12:00:00Z.', { attr: 'timestamp' })
  return at
}

type ByWhom = { distinct_id?: string | undefined; person_id?: string | undefined }

/** Nobody knows a distinct id: that is no error. A person that is named must be there. */
async function personIn({ sql, project, body }: ProjectCall<unknown, ByWhom>): Promise<Person | null> {
  if (body.person_id === undefined) return findPersonByDistinctId(sql, project.id, body.distinct_id ?? '')
  const person = looksLikePersonId(body.person_id) ? await findPerson(sql, project.id, body.person_id) : undefined
  if (!person) throw new ApiError('not_found', 'There is no such person.')
  return person
}

function personRecord(person: Person, { project }: Pick<ProjectCall, 'project'>) {
  const { uuid, name, distinct_ids, properties } = embeddedPerson(person, project)
  return { uuid, name, distinct_ids, properties }
}
