import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { sendError } from '../http/server.ts'
import type { Client } from '../lib/held-back.ts'
import { parseJson } from '../lib/json.ts'
import { addAuditLogRoutes } from './accounts/audit-log.ts'
import { GuessCounts, SharedGuessCounts } from './accounts/guess-counts.ts'
import { GuessingGuard } from './accounts/guessing-guard.ts'
import { addInvitationRoutes } from './accounts/invitations.ts'
import { addLoginRoutes } from './accounts/login.ts'
import { addMemberRoutes } from './accounts/members.ts'
import { addOrganizationRoutes } from './accounts/organizations.ts'
import { addOwnAccountRoutes } from './accounts/own-account.ts'
import { addPersonalKeyRoutes } from './accounts/personal-keys.ts'
import { addProjectDataRoutes } from './accounts/project-data.ts'
import { addProjectTokenRoutes } from './accounts/project-token.ts'
import { addProjectRoutes } from './accounts/projects.ts'
import { addSecretKeyRoutes } from './accounts/secret-keys.ts'
import { addSessionRoutes } from './accounts/sessions.ts'
import { addUserRoutes } from './accounts/users.ts'
import { addActionRoutes } from './actions.ts'
import { addAnnotationRoutes } from './annotations.ts'
import { addCohortRoutes } from './cohorts/cohorts.ts'
import { addCohortsOfPersonRoutes } from './cohorts/cohorts-of-person.ts'
import { addDefinitionNoteRoutes } from './definitions/definition-notes.ts'
import { addDefinitionRoutes } from './definitions/definitions.ts'
import { addDeletionRoutes } from './deletions.ts'
import { addDemoRoutes } from './demo-data.ts'
import { addSchemaRoutes } from './description/schema.ts'
import { addEventRoutes } from './events.ts'
import { addExperimentRoutes } from './experiments/experiments.ts'
import { addEarlyAccessRoutes } from './flags/early-access.ts'
import { addFeatureFlagRoutes } from './flags/feature-flags.ts'
import { addFlagActivityRoutes } from './flags/flag-activity.ts'
import { addFlagBulkRoutes } from './flags/flag-bulk.ts'
import { addFlagEvaluationRoutes } from './flags/flag-evaluation.ts'
import { addFlagStateRoutes } from './flags/flag-states.ts'
import { addOrganizationFlagRoutes } from './flags/organization-flags.ts'
import { addScheduledChangeRoutes } from './flags/scheduled-changes.ts'
import { credentials, notAuthenticated } from './frame/authenticate.ts'
import { checkAnswers } from './frame/check-answers.ts'
import { addressOf, networkOf } from './frame/client-address.ts'
import type { ApiContext } from './frame/context.ts'
import { readFormBodies, unsupported } from './frame/form-bodies.ts'
import { fromEngines } from './frame/from-engines.ts'
import { ApiRoutes } from './frame/route.ts'
import { sessionToken } from './frame/session-cookie.ts'
import { addGroupRoutes } from './groups.ts'
import { addHeatmapRoutes } from './heatmaps.ts'
import { addDashboardRoutes } from './insights/dashboards.ts'
import { addInsightActivityRoutes } from './insights/insight-activity.ts'
import { addInsightPeopleRoutes } from './insights/insight-people.ts'
import { addInsightViewRoutes } from './insights/insight-views.ts'
import { addInsightRoutes } from './insights/insights.ts'
import { runningQuestions } from './insights/running-questions.ts'
import { addSavedInsightRoutes } from './insights/saved-insights.ts'
import { addInstanceStatusRoutes } from './instance-status.ts'
import { addLiveRoutes } from './live.ts'
import { addBulkDeleteRoutes } from './persons/bulk-delete.ts'
import { addPersonActionRoutes } from './persons/person-actions.ts'
import { addPersonInsightRoutes } from './persons/person-insights.ts'
import { addPersonRoutes } from './persons/persons.ts'
import { addPropertiesTimelineRoutes } from './persons/properties-timeline.ts'
import { addQueryRoutes } from './query/query.ts'
import { addPlaylistActivityRoutes } from './recordings/playlist-activity.ts'
import { addPlaylistRecordingRoutes } from './recordings/playlist-recordings.ts'
import { addPlaylistRoutes } from './recordings/playlists.ts'
import { addRecordingSnapshotRoutes } from './recordings/recording-snapshots.ts'
import { addRecordingRoutes } from './recordings/recordings.ts'
import { addSharedRecordingRoutes } from './recordings/shared-recordings.ts'
import { addShareRoutes } from './shares/shares.ts'
import { addWarningRoutes } from './warnings.ts'
import { addSharedWebRoutes } from './web-analytics/shared-web.ts'
import { addWebAnalyticsRoutes } from './web-analytics/web-analytics.ts'

/** The management API: one file a resource. */
export async function registerApi(app: FastifyInstance, context: ApiContext): Promise<void> {
  await app.register(async (scope) => {
    readBodies(scope)
    // What people and scripts are told here is theirs alone: no browser and no proxy keeps it.
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store')
      done()
    })
    scope.addHook('onResponse', (request, reply, done) => {
      const resource = RESOURCE.exec(request.routeOptions.url ?? '')?.[1] ?? 'other'
      context.onAnswered?.({
        resource,
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1000,
        client: clientOf(request),
      })
      done()
    })
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      const known = fromEngines(error)
      // Without credentials nothing else about the request is of interest, not even that its body is no JSON. Only what
      // goes wrong before a handler runs carries a `statusCode`.
      const unreadable = (error.statusCode ?? 500) < 500
      return sendError(
        context.log,
        unreadable && !credentials(request) && sessionToken(request) === null && !OPEN_TO_ALL.test(request.url)
          ? notAuthenticated(request)
          : known,
        reply,
        request,
      )
    })
    if (context.checkAnswers) checkAnswers(scope, context.log)
    const routes = new ApiRoutes(scope, context)
    const { others, sql } = context
    if (others) await Promise.all([routes.shareWith(others), runningQuestions(sql).shareWith(others)])
    const guard = new GuessingGuard(others ? new SharedGuessCounts(sql) : new GuessCounts())
    addLoginRoutes(routes, guard)
    addInvitationRoutes(routes, guard)
    addOwnAccountRoutes(routes, guard)
    addSessionRoutes(routes)
    addUserRoutes(routes)
    addPersonalKeyRoutes(routes)
    addOrganizationRoutes(routes)
    addMemberRoutes(routes)
    addProjectRoutes(routes, guard)
    addProjectTokenRoutes(routes, guard)
    addProjectDataRoutes(routes)
    addAuditLogRoutes(routes)
    addDemoRoutes(routes)
    addInstanceStatusRoutes(routes)
    addPersonRoutes(routes)
    addBulkDeleteRoutes(routes)
    addPersonActionRoutes(routes)
    addPersonInsightRoutes(routes)
    addPropertiesTimelineRoutes(routes)
    addCohortsOfPersonRoutes(routes)
    addCohortRoutes(routes)
    addActionRoutes(routes)
    addAnnotationRoutes(routes)
    addDeletionRoutes(routes)
    addGroupRoutes(routes)
    addDefinitionRoutes(routes)
    addDefinitionNoteRoutes(routes)
    addEventRoutes(routes)
    addLiveRoutes(routes)
    addHeatmapRoutes(routes)
    addInsightRoutes(routes)
    addInsightPeopleRoutes(routes)
    addInsightViewRoutes(routes)
    addInsightActivityRoutes(routes)
    addSavedInsightRoutes(routes)
    addDashboardRoutes(routes)
    addQueryRoutes(routes, context)
    addWarningRoutes(routes)
    addWebAnalyticsRoutes(routes)
    addSharedWebRoutes(routes)
    addPlaylistRoutes(routes)
    addPlaylistActivityRoutes(routes)
    addPlaylistRecordingRoutes(routes)
    addRecordingRoutes(routes)
    addRecordingSnapshotRoutes(routes)
    addSchemaRoutes(routes, context.publicUrl)
    addSecretKeyRoutes(routes)
    addEarlyAccessRoutes(routes)
    addFeatureFlagRoutes(routes)
    addFlagStateRoutes(routes)
    addFlagEvaluationRoutes(routes)
    addFlagActivityRoutes(routes)
    addFlagBulkRoutes(routes)
    addOrganizationFlagRoutes(routes)
    addScheduledChangeRoutes(routes)
    addExperimentRoutes(routes)
    addShareRoutes(routes)
    addSharedRecordingRoutes(routes)
  })
}

const RESOURCE = /^\/api\/(?:(?:environments|projects)\/:project_id\/)?([a-z_]+)/

function clientOf(request: FastifyRequest): Client {
  const { project_id } = request.params as { project_id?: string }
  return { address: networkOf(addressOf(request)), project: Number(project_id) || null }
}

/** Where people without credentials send bodies. */
const OPEN_TO_ALL = /^\/api\/(login|signup|shared)/

function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      done(null, parseJson(body as string))
    } catch (error) {
      done(
        Object.assign(new ApiError('parse_error', `JSON parse error - ${(error as Error).message}`), {
          statusCode: 400,
        }),
      )
    }
  })
  readFormBodies(scope)
  scope.addContentTypeParser('*', (request, payload, done) => {
    payload.resume()
    done(unsupported(request))
  })
}
