import { z } from 'zod'
import { userObject, usersById } from '../accounts/index.ts'
import { pageOf } from '../contract/envelopes.ts'
import { actionFieldsSchema, actionSchema, namedListQuerySchema } from '../contract/resources/action.ts'
import { ApiError } from '../http/errors.ts'
import { actionStep, nodeOfStep, refuseBadPatterns, type SavedAction, savedActions } from '../insights/index.ts'
import type { Json } from '../lib/json.ts'
import { notAllowed } from './frame/answer.ts'
import type { ProjectCall } from './frame/context.ts'
import { readOn } from './frame/list-positions.ts'
import { only } from './frame/only.ts'
import { envelope } from './frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'
import { insightContext } from './insights/insight-question.ts'

/** Steps whose filters are filters: what a question could not read is not kept. */
const steps = z.array(actionStep).superRefine((given, context) => {
  for (const [at, step] of given.entries())
    try {
      nodeOfStep(step, at)
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      for (const { message, path } of error.issues) context.addIssue({ code: 'custom', message, path: [at, ...path] })
    }
})

const FIELDS = actionFieldsSchema.extend({ steps: steps.optional() })

/** Actions: names for events that mean the same thing. */
export function addActionRoutes(routes: ApiRoutes): void {
  routes.addToProject('actions/', {
    GET: projectEndpoint({
      summary: 'Actions, the newest first',
      scope: 'action:read',
      query: namedListQuerySchema,
      answer: pageOf(actionSchema),
      handle: async (call) => {
        const { count, results, hasMore } = await readOn(call, (behind) =>
          savedActions.list(call.sql, call.project.id, call.query, behind),
        )
        return envelope(call.url, call.query, count, await actionRecords(call, results), { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Name events that mean the same thing: each step describes some of them',
      scope: 'action:write',
      body: FIELDS,
      answer: actionSchema,
      status: 201,
      handle: async (call) => {
        const fields = await checked(call, call.body)
        return oneRecord(call, await savedActions.create(call.sql, call.project.id, call.caller.user.id, fields))
      },
    }),
  })
  const change = projectEndpoint({
    summary: 'Change an action; `deleted` takes it away and brings it back',
    scope: 'action:write',
    body: FIELDS,
    answer: actionSchema,
    handle: async (call) => {
      const { id } = await actionOf(call, { deletedToo: call.body.deleted === false })
      return oneRecord(call, await savedActions.update(call.sql, id, await checked(call, call.body)))
    },
  })
  routes.addToProject('actions/:action_id/', {
    GET: projectEndpoint({
      summary: 'One action',
      scope: 'action:read',
      answer: actionSchema,
      handle: async (call) => oneRecord(call, await actionOf(call)),
    }),
    PATCH: change,
    PUT: change,
    DELETE: projectEndpoint({
      summary: 'Refused: take an action away by setting `deleted`',
      scope: 'action:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

async function checked(call: ProjectCall, { steps, pinned_at, ...fields }: z.output<typeof FIELDS>) {
  if (steps !== undefined) await refuseBadPatterns(await insightContext(call), steps.map(nodeOfStep))
  return {
    ...fields,
    steps: steps as Json | undefined,
    pinned_at: pinned_at === undefined || pinned_at === null ? pinned_at : new Date(pinned_at),
  }
}

async function actionOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean } = {},
): Promise<SavedAction> {
  const found = await savedActions.find(sql, project.id, params.action_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

const oneRecord = async (call: Pick<ProjectCall, 'sql'>, action: SavedAction) =>
  only(await actionRecords(call, [action]))

async function actionRecords({ sql }: Pick<ProjectCall, 'sql'>, actions: readonly SavedAction[]) {
  const users = await usersById(
    sql,
    actions.map(({ created_by }) => created_by),
  )
  return actions.map((action) => {
    const user = action.created_by === null ? undefined : users.get(action.created_by)
    return {
      id: action.id,
      name: action.name,
      description: action.description,
      tags: action.tags,
      post_to_slack: false,
      slack_message_format: '',
      steps: action.steps,
      created_at: action.created_at,
      created_by: user ? userObject(user) : null,
      deleted: action.deleted,
      is_calculating: false,
      last_calculated_at: action.created_at,
      team_id: action.project_id,
      is_action: true as const,
      bytecode_error: null,
      pinned_at: action.pinned_at,
    }
  })
}
