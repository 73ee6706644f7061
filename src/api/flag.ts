import { z } from 'zod'

const YES = new Set(['true', 't', '1', 'yes', 'y', 'on'])
const NO = new Set(['false', 'f', '0', 'no', 'n', 'off'])

/** A boolean, also as a query string or a form writes it. It means its value, not its presence. */
export const flag = z.union([z.boolean(), z.string(), z.number()]).transform((given, context) => {
  const text = String(given).toLowerCase()
  if (!YES.has(text) && !NO.has(text)) context.addIssue({ code: 'custom', message: 'Must be a valid boolean.' })
  return YES.has(text)
})
