import type { Draft } from '../draft.ts'
import type { SqlDisplay } from './shape.ts'

/** A question in SQL, as drafts hold it. */
export const SQL_DISPLAYS: readonly { value: SqlDisplay; label: string }[] = [
  { value: 'table', label: 'Table' },
  { value: 'line', label: 'Line' },
  { value: 'bar', label: 'Bars' },
  { value: 'number', label: 'Number' },
]

export const sqlDisplayOf = ({ display }: Draft): SqlDisplay =>
  SQL_DISPLAYS.find(({ value }) => value === display)?.value ?? 'table'

/** Whether dates from outside (a dashboard's, the page's) have a place in it. */
export const takesDates = (sql: string | undefined): boolean => /\{\s*filters\b/.test(sql ?? '')

/** What the address of the SQL page carries. */
export interface SqlSearch {
  sql?: string
  display?: string
  from?: string
  to?: string
}

export const readSearch = ({ sql, display, from, to }: SqlSearch): Draft => ({
  kind: 'sql',
  series: [],
  ...(sql === undefined ? {} : { sql: String(sql) }),
  ...(SQL_DISPLAYS.some(({ value }) => value === display) ? { display: display as SqlDisplay } : {}),
  ...(from ? { from: String(from) } : {}),
  ...(to ? { to: String(to) } : {}),
})

export const toSearch = ({ sql, display, from, to }: Draft): SqlSearch => ({
  ...(sql === undefined ? {} : { sql }),
  ...(display === undefined || display === 'table' ? {} : { display }),
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
})
