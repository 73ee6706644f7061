import { userObject, usersById } from '../accounts/index.ts'
import { pageOf } from '../contract/envelopes.ts'
import {
  type AnnotationFields,
  annotationFieldsSchema,
  annotationListQuerySchema,
  annotationSchema,
} from '../contract/resources/annotation.ts'
import { ApiError } from '../http/errors.ts'
import {
  type Annotation,
  type AnnotationValues,
  createAnnotation,
  findAnnotation,
  findDashboard,
  findInsight,
  listAnnotations,
  updateAnnotation,
} from '../insights/index.ts'
import { notAllowed } from './frame/answer.ts'
import type { ProjectCall } from './frame/context.ts'
import { only } from './frame/only.ts'
import { envelope } from './frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

/** Annotations: what happened on a day, drawn on charts. */
export function addAnnotationRoutes(routes: ApiRoutes): void {
  routes.addToProject('annotations/', {
    GET: projectEndpoint({
      summary: 'Annotations, the latest day first',
      scope: 'annotation:read',
      query: annotationListQuerySchema,
      answer: pageOf(annotationSchema),
      handle: async (call) => {
        const { search, scope, date_from, date_to, is_emoji, hidden_in_user_interface, dashboard_item } = call.query
        const { count, results, hasMore } = await listAnnotations(
          call.sql,
          call.project,
          {
            search,
            scope,
            from: date_from,
            to: date_to,
            emoji: is_emoji,
            hidden: hidden_in_user_interface,
            insight: dashboard_item,
          },
          call.query,
        )
        return envelope(call.url, call.query, count, await annotationRecords(call, results), { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Write an annotation on charts: of an insight, a dashboard, the project or the organisation',
      scope: 'annotation:write',
      body: annotationFieldsSchema,
      answer: annotationSchema,
      status: 201,
      handle: async (call) => {
        const values = await checked(call, call.body)
        return oneRecord(call, await createAnnotation(call.sql, call.project, call.caller.user.id, values))
      },
    }),
  })
  const change = projectEndpoint({
    summary: 'Change an annotation; `deleted` takes it away and brings it back',
    scope: 'annotation:write',
    body: annotationFieldsSchema,
    answer: annotationSchema,
    handle: async (call) => {
      const { id } = await annotationOf(call, { own: true, deletedToo: call.body.deleted === false })
      return oneRecord(call, await updateAnnotation(call.sql, call.project, id, await checked(call, call.body)))
    },
  })
  routes.addToProject('annotations/:annotation_id/', {
    GET: projectEndpoint({
      summary: 'One annotation',
      scope: 'annotation:read',
      answer: annotationSchema,
      handle: async (call) => oneRecord(call, await annotationOf(call)),
    }),
    PATCH: change,
    PUT: change,
    DELETE: projectEndpoint({
      summary: 'Refused: take an annotation away by setting `deleted`',
      scope: 'annotation:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

/** What it stands on must be there, in this project. */
async function checked(
  { sql, project }: Pick<ProjectCall, 'sql' | 'project'>,
  { dashboard_item, dashboard_id, ...values }: AnnotationFields,
): Promise<AnnotationValues> {
  const insight = dashboard_item ? await findInsight(sql, project.id, String(dashboard_item)) : undefined
  if (dashboard_item && !insight)
    throw new ApiError('invalid_input', `There is no insight ${dashboard_item} in this project.`, {
      attr: 'dashboard_item',
    })
  if (dashboard_id && !(await findDashboard(sql, project.id, String(dashboard_id))))
    throw new ApiError('invalid_input', `There is no dashboard ${dashboard_id} in this project.`, {
      attr: 'dashboard_id',
    })
  return {
    ...values,
    insight_id: dashboard_item === undefined ? undefined : (insight?.id ?? null),
    dashboard_id: dashboard_id === undefined ? undefined : dashboard_id || null,
  }
}

async function annotationOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean; own?: boolean } = {},
): Promise<Annotation> {
  const found = await findAnnotation(sql, project, params.annotation_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

const oneRecord = async (call: Pick<ProjectCall, 'sql'>, annotation: Annotation) =>
  only(await annotationRecords(call, [annotation]))

async function annotationRecords({ sql }: Pick<ProjectCall, 'sql'>, annotations: readonly Annotation[]) {
  const users = await usersById(
    sql,
    annotations.map(({ created_by }) => created_by),
  )
  return annotations.map(({ project_id: _, insight_id, created_by, ...annotation }) => {
    const user = created_by === null ? undefined : users.get(created_by)
    return { ...annotation, dashboard_item: insight_id, created_by: user ? userObject(user) : null }
  })
}
