/** Dates and ranges of dates, as nodes hold them. */
import { z } from 'zod'
import { isDate, notADate } from '../../lib/parse-date.ts'
import { flag, optional } from './fields.ts'

const INTERVALS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Interval = (typeof INTERVALS)[number]
export const intervalSchema = z
  .enum(INTERVALS)
  .nullish()
  .transform((value): Interval => value ?? 'day')

const dateOr = (words: readonly string[]) =>
  z.string().superRefine((text, context) => {
    if (!words.includes(text) && !isDate(text)) context.addIssue({ code: 'custom', message: notADate(text) })
  })

/** "all" is from the first event on; an empty text is none. */
export const dateFromSchema = optional(dateOr(['', 'all']))
export const dateToSchema = optional(dateOr(['']))

export const dateRangeSchema = z
  .object({ date_from: dateFromSchema, date_to: dateToSchema, explicitDate: flag })
  .meta({
    id: 'DateRange',
    description:
      'Days (2024-05-31), times (2024-05-31T12:00:00Z) or dates relative to now (-7d, mStart); "all" from the first event on.',
  })
  .nullish()
  .transform((range) => range ?? { date_from: undefined, date_to: undefined, explicitDate: false })
export type DateRangeInput = z.infer<typeof dateRangeSchema>
