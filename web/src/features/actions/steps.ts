import * as z from 'zod/mini'
import { field, someOf } from '../../lib/search-schema.ts'
import { filterSchema } from '../insights/index.ts'

const said = field(z.nullable(z.string()))

/**
 * One description of the events that an action stands for. The API keeps steps as the JSON that a client
 * sent; what the form does not show stays in them.
 */
const stepSchema = z.looseObject({
  event: said,
  url: said,
  url_matching: field(z.nullable(z.enum(['contains', 'exact', 'regex']))),
  text: said,
  href: said,
  selector: said,
  properties: field(someOf(filterSchema)),
})
export type ActionStep = z.infer<typeof stepSchema>

export const readSteps = (steps: unknown): ActionStep[] => z.safeParse(someOf(stepSchema), steps).data ?? []
