import { z } from 'zod'
import type { Wire } from './wire.ts'

const chainElementSchema = z
  .object({
    text: z.string().nullable(),
    tag_name: z.string(),
    attr_class: z.array(z.string()).nullable(),
    href: z.string().nullable(),
    attr_id: z.string().nullable(),
    nth_child: z.number().nullable(),
    nth_of_type: z.number().nullable(),
    attributes: z.record(z.string(), z.string()),
    order: z.int(),
  })
  .meta({ id: 'CorrelatedElement' })
export type ChainElement = Wire<typeof chainElementSchema>

export const correlationSchema = z
  .object({
    event: z.object({
      event: z.string(),
      properties: z.record(z.string(), z.string()),
      elements: z.array(chainElementSchema),
    }),
    success_count: z.number(),
    success_people_url: z.string().optional(),
    failure_count: z.number(),
    failure_people_url: z.string().optional(),
    odds_ratio: z.number(),
    correlation_type: z.enum(['success', 'failure']),
  })
  .meta({ id: 'Correlation' })
export type Correlation = Wire<typeof correlationSchema>

export const correlationResultSchema = z
  .object({ events: z.array(correlationSchema), skewed: z.boolean() })
  .meta({ id: 'CorrelationResult' })
export type CorrelationResult = Wire<typeof correlationResultSchema>
