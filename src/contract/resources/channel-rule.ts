/** Rules of a project that name the channel of a session, before the built-in ones. */
import { z } from 'zod'

export const CHANNEL_FIELDS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'referring_domain',
  'url',
  'pathname',
  'hostname',
] as const
export type ChannelField = (typeof CHANNEL_FIELDS)[number]

const text = z.string().max(400)

/** Patterns run over every session of a question: they stay short, and without what the engine cannot look for. */
function isPattern(value: string): boolean {
  if (value.length > 200 || /\(\?(?!i\)|:)|\\[1-9]/.test(value)) return false
  try {
    new RegExp(value.replace(/^\(\?i\)/, ''))
    return true
  } catch {
    return false
  }
}

export const channelConditionSchema = z
  .object({
    id: z.string().max(100).optional(),
    key: z.enum(CHANNEL_FIELDS),
    op: z.enum(['exact', 'is_not', 'is_set', 'is_not_set', 'icontains', 'not_icontains', 'regex', 'not_regex']),
    value: z.union([text, z.array(text).min(1).max(50), z.null()]).optional(),
  })
  .superRefine(({ op, value }, context) => {
    const values = Array.isArray(value) ? value : [value ?? '']
    if (op.endsWith('set')) return
    if (values.some((each) => each === ''))
      context.addIssue({
        code: 'custom',
        path: ['value'],
        message: 'Send a text, or the operator is_set or is_not_set.',
      })
    if (op.endsWith('regex') && !values.every(isPattern))
      context.addIssue({
        code: 'custom',
        path: ['value'],
        message: 'Send a regular expression of up to 200 characters, without (?=, (?!, (?< and references to groups.',
      })
  })
export type ChannelCondition = z.infer<typeof channelConditionSchema>

export const channelRuleSchema = z
  .object({
    id: z.string().max(100).optional(),
    channel_type: z.string().trim().min(1).max(100).meta({ description: 'The name of the channel.' }),
    combiner: z.enum(['AND', 'OR']),
    items: z.array(channelConditionSchema).min(1).max(20),
  })
  .meta({ id: 'ChannelRule' })
export type ChannelRule = z.infer<typeof channelRuleSchema>

export const channelRulesSchema = z.array(channelRuleSchema).max(50)
