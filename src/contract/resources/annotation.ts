import { z } from 'zod'
import { dateTime, id } from '../answer-fields.ts'
import { limitUpTo, pageQuerySchema } from '../envelopes.ts'
import { flag, integer, text } from '../fields.ts'
import { after } from '../time-bounds.ts'
import { userSchema } from './user.ts'

/** On which charts an annotation stands: of one insight, of a dashboard, of the project, of all projects. */
const SCOPES = ['dashboard_item', 'dashboard', 'project', 'organization'] as const
export type AnnotationScope = (typeof SCOPES)[number]
const CREATION_TYPES = ['USR', 'GIT'] as const
const LONGEST_CONTENT = 8192
const LONGEST_EMOJI = 16
const MOST_LISTED = 1000

export const annotationSchema = z
  .object({
    id,
    content: z.string().nullable(),
    date_marker: dateTime.nullable().meta({ description: 'When it happened.' }),
    creation_type: z.enum(CREATION_TYPES).meta({ description: 'USR: by a person. GIT: by a deployment.' }),
    dashboard_item: id.nullable().meta({ description: 'The insight it stands on.' }),
    dashboard_id: id.nullable(),
    dashboard_name: z.string().nullable(),
    insight_short_id: z.string().nullable(),
    insight_name: z.string().nullable(),
    insight_derived_name: z.string().nullable(),
    created_by: userSchema.nullable(),
    created_at: dateTime,
    updated_at: dateTime,
    deleted: z.boolean(),
    scope: z.enum(SCOPES),
    emoji: z.string().nullable(),
    hidden_in_user_interface: z.boolean().nullable(),
  })
  .meta({ id: 'Annotation' })
export type Annotation = z.infer<typeof annotationSchema>

const scope = z
  .string()
  .superRefine((given, context) => {
    if (given === 'recording') context.addIssue({ code: 'custom', message: 'Recording scope is deprecated' })
    else if (given !== 'insight' && !SCOPES.some((known) => known === given))
      context.addIssue({ code: 'custom', message: `Send one of ${SCOPES.join(', ')}.` })
  })
  .transform((given) => (given === 'insight' ? 'dashboard_item' : given) as AnnotationScope)
  .meta({ type: 'string', examples: [...SCOPES] })

const moment = z.preprocess(
  (given) => (given === '' ? null : given),
  after
    .transform((ms) => new Date(ms))
    .nullable()
    .meta({ type: ['string', 'null'], examples: ['2024-05-01T12:00:00Z'] }),
)

export const annotationFieldsSchema = z.object({
  content: text(LONGEST_CONTENT).nullable().optional(),
  date_marker: moment.optional(),
  creation_type: z.enum(CREATION_TYPES).optional(),
  dashboard_item: integer.nullable().optional(),
  dashboard_id: integer.nullable().optional(),
  scope: scope.optional(),
  emoji: text(LONGEST_EMOJI)
    .nullable()
    .optional()
    .transform((given) => (given === '' ? null : given)),
  hidden_in_user_interface: flag.nullable().optional(),
  deleted: flag.optional(),
})
export type AnnotationFields = z.output<typeof annotationFieldsSchema>

export const annotationListQuerySchema = pageQuerySchema
  .extend({
    limit: limitUpTo(MOST_LISTED, MOST_LISTED),
    search: z.string().optional().meta({ description: 'A part of the content.' }),
    scope: scope.optional(),
    date_from: after.optional(),
    date_to: after.optional(),
    is_emoji: flag.optional(),
    hidden_in_user_interface: flag.optional(),
    dashboard_item: integer.optional().meta({ description: 'Those of one insight.' }),
  })
  .superRefine(({ date_from, date_to }, context) => {
    if (date_from !== undefined && date_to !== undefined && date_from > date_to)
      context.addIssue({ code: 'custom', message: 'date_from lies after date_to.', path: ['date_from'] })
  })
export type AnnotationListQuery = z.output<typeof annotationListQuerySchema>
