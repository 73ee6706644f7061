import { pageOf } from '../../contract/envelopes.ts'
import {
  scheduledChangeChangesSchema,
  scheduledChangeFieldsSchema,
  scheduledChangeListQuerySchema,
  scheduledChangeSchema,
} from '../../contract/resources/flag-management.ts'
import {
  type ChangeFields,
  fieldsOfScheduled,
  findChange,
  findFlag,
  listChanges,
  removeChange,
  rescheduleChange,
  type SavedChange,
  scheduleChange,
  tryChange,
} from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { only } from '../frame/only.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { usersOf } from './flag-record.ts'

/** Changes of flags that the service makes when their time has come (flags/store/scheduled-changes.ts). */
export function addScheduledChangeRoutes(routes: ApiRoutes): void {
  routes.addToProject('scheduled_changes/', {
    GET: projectEndpoint({
      summary: 'Scheduled changes of feature flags, the latest first',
      scope: 'feature_flag:read',
      query: scheduledChangeListQuerySchema,
      answer: pageOf(scheduledChangeSchema),
      handle: async (call) => {
        const { record_id: recordId, limit, offset } = call.query
        const { count, changes } = await listChanges(call.sql, call.project.id, { recordId, limit, offset })
        return envelope(call.url, call.query, count, await changeRecords(call, changes))
      },
    }),
    POST: projectEndpoint({
      summary: 'Schedule a change of a feature flag',
      scope: 'feature_flag:write',
      body: scheduledChangeFieldsSchema,
      answer: scheduledChangeSchema,
      status: 201,
      handle: async (call) => {
        const { record_id: recordId } = call.body
        const fields = await checked(call, recordId, {
          payload: call.body.payload,
          scheduled_at: call.body.scheduled_at,
          is_recurring: call.body.is_recurring ?? false,
          recurrence_interval: call.body.recurrence_interval ?? null,
          end_date: call.body.end_date ?? null,
        })
        const { project, caller, sql } = call
        return changeRecord(
          call,
          await scheduleChange(sql, { project: project.id, userId: caller.user.id, recordId }, fields),
        )
      },
    }),
  })
  routes.addToProject('scheduled_changes/:scheduled_change_id/', {
    GET: projectEndpoint({
      summary: 'One scheduled change',
      scope: 'feature_flag:read',
      answer: scheduledChangeSchema,
      handle: async (call) => changeRecord(call, await changeOf(call)),
    }),
    PATCH: projectEndpoint({
      summary: 'Change what is scheduled, or when',
      scope: 'feature_flag:write',
      body: scheduledChangeChangesSchema,
      answer: scheduledChangeSchema,
      exists: changeOf,
      handle: async (call) => {
        const before = await changeOf(call)
        if (before.executed_at !== null)
          throw new ApiError('invalid_input', 'This change has been made already: schedule another one.')
        const { body } = call
        const fields = await checked(call, before.record_id, {
          payload: body.payload ?? (before.payload as unknown as ChangeFields['payload']),
          scheduled_at: body.scheduled_at ?? before.scheduled_at,
          is_recurring: body.is_recurring ?? before.is_recurring,
          recurrence_interval:
            body.recurrence_interval === undefined ? before.recurrence_interval : body.recurrence_interval,
          end_date: body.end_date === undefined ? before.end_date : body.end_date,
        })
        return changeRecord(call, await rescheduleChange(call.sql, before.id, fields))
      },
    }),
    DELETE: projectEndpoint({
      summary: 'Take a scheduled change back',
      scope: 'feature_flag:write',
      answer: noContent,
      handle: async (call) => removeChange(call.sql, (await changeOf(call)).id),
    }),
  })
}

/** What could not be done now is refused now, and not when nobody is looking. */
async function checked(
  { sql, project }: Pick<ProjectCall, 'sql' | 'project'>,
  recordId: string,
  fields: ChangeFields,
): Promise<ChangeFields> {
  const flag = /^\d{1,9}$/.test(recordId) ? await findFlag(sql, project.id, recordId) : undefined
  if (!flag || flag.deleted || String(flag.id) !== recordId)
    throw new ApiError('invalid_input', `There is no feature flag with the id ${recordId.slice(0, 40)}.`, {
      attr: 'record_id',
    })
  if (fields.is_recurring && fields.recurrence_interval === null)
    throw new ApiError('invalid_input', 'Say how often a recurring change is made: daily, weekly, monthly or yearly.', {
      attr: 'recurrence_interval',
    })
  // Adding conditions again and again would never end.
  if (fields.is_recurring && fields.payload.operation === 'add_release_condition')
    throw new ApiError('invalid_input', 'Conditions are added once: only other changes can recur.', {
      attr: 'is_recurring',
    })
  if (fields.end_date !== null && fields.end_date < fields.scheduled_at)
    throw new ApiError('invalid_input', 'The end is before the first time.', { attr: 'end_date' })
  const changes = fieldsOfScheduled(fields.payload, flag)
  // Whether others depend on a flag is decided when it is disabled.
  if (changes.filters !== undefined) await tryChange(sql, flag, changes)
  return fields
}

async function changeOf({
  sql,
  project,
  params,
}: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<SavedChange> {
  const found = await findChange(sql, project.id, params.scheduled_change_id ?? '')
  if (!found) throw new ApiError('not_found')
  return found
}

const changeRecord = async (call: Pick<ProjectCall, 'sql'>, change: SavedChange) =>
  only(await changeRecords(call, [change]))

async function changeRecords(call: Pick<ProjectCall, 'sql'>, changes: readonly SavedChange[]) {
  const userOf = await usersOf(
    call,
    changes.map(({ created_by }) => created_by),
  )
  return changes.map(({ project_id: _, ...change }) => ({
    id: change.id,
    record_id: change.record_id,
    model_name: 'FeatureFlag' as const,
    payload: change.payload,
    scheduled_at: change.scheduled_at,
    executed_at: change.executed_at,
    failure_reason: change.failure_reason,
    is_recurring: change.is_recurring,
    recurrence_interval: change.recurrence_interval,
    end_date: change.end_date,
    last_executed_at: change.last_executed_at,
    created_at: change.created_at,
    created_by: userOf(change.created_by),
    updated_at: change.updated_at,
  }))
}
