import {
  heatmapFrameQuerySchema,
  heatmapFramesSchema,
  heatmapPagesQuerySchema,
  heatmapPagesSchema,
  heatmapQuerySchema,
  heatmapSchema,
  heatmapWidthsSchema,
} from '../contract/resources/heatmap.ts'
import { findFrame, type HeatmapContext, readHeatmap, readHeatmapPages, readHeatmapWidths } from '../heatmaps/index.ts'
import type { ProjectCall } from './frame/context.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'
import { insightContext } from './insights/insight-question.ts'

/** Heatmaps: points on pages, and the recordings that show these pages. */
export function addHeatmapRoutes(routes: ApiRoutes): void {
  routes.addToProject('heatmaps/', {
    GET: projectEndpoint({
      summary: 'Where people clicked or moved the mouse on a page, or how far they scrolled',
      scope: 'heatmap:read',
      rate: 'heavy',
      query: heatmapQuerySchema,
      answer: heatmapSchema,
      handle: async (call) => readHeatmap(await contextOf(call), call.query),
    }),
  })
  routes.addToProject('heatmaps/pages/', {
    GET: projectEndpoint({
      summary: 'Pages that have heatmaps, the most visited first',
      scope: 'heatmap:read',
      rate: 'heavy',
      query: heatmapPagesQuerySchema,
      answer: heatmapPagesSchema,
      handle: async (call) => readHeatmapPages(await contextOf(call), call.query),
    }),
  })
  routes.addToProject('heatmaps/widths/', {
    GET: projectEndpoint({
      summary: 'How wide the windows were in which a page was seen',
      scope: 'heatmap:read',
      rate: 'heavy',
      query: heatmapQuerySchema,
      answer: heatmapWidthsSchema,
      handle: async (call) => readHeatmapWidths(await contextOf(call), call.query),
    }),
  })
  routes.addToProject('heatmaps/frame/', {
    GET: projectEndpoint({
      summary: 'The recording that shows a page at the nearest width, and when',
      scope: 'session_recording:read',
      rate: 'heavy',
      query: heatmapFrameQuerySchema,
      answer: heatmapFramesSchema,
      handle: async (call) => ({ frame: await findFrame(await contextOf(call), call.query) }),
    }),
  })
}

const contextOf = async (
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'signal'>,
): Promise<HeatmapContext> => ({ insight: await insightContext(call), signal: call.signal })
