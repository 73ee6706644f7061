/** The page of web analytics: several of its questions in one request. */
import { z } from 'zod'
import { describedAs } from '../described-as.ts'
import { errorSchema } from '../errors.ts'
import { webQuerySchema } from '../queries/index.ts'
import { webAnswerSchemas } from '../results/index.ts'
import type { Wire } from '../results/wire.ts'

/** As many as the page has parts, with room for more. */
const MOST_QUERIES = 24

export const webPageRequestSchema = z.object({
  queries: z
    .array(describedAs(z.record(z.string(), z.unknown()), webQuerySchema))
    .min(1)
    .max(MOST_QUERIES),
})

export const webAnswerSchema = z.union(Object.values(webAnswerSchemas)).meta({ id: 'WebAnswer' })

export const webPageAnswerSchema = z
  .object({
    results: z.array(
      z.union([z.object({ answer: webAnswerSchema }), z.object({ status: z.int(), error: errorSchema })]),
    ),
  })
  .meta({
    id: 'WebPageAnswer',
    description: 'In the order of the questions: what `query/` answers each, or why it cannot be answered.',
  })

export type WebPageAnswer = Wire<typeof webPageAnswerSchema>
