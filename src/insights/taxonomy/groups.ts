/** Groups of a type as a table, like events and persons. */
import type { GroupsQuery } from '../../contract/queries/index.ts'
import { parseItem, parseOrder } from '../hogql/parse.ts'

const NAME = 'coalesce(toString(properties.name), key)'
const USUAL = ['group_name', 'key']

const chosen = ({ select }: Pick<GroupsQuery, 'select'>): readonly string[] =>
  select && select.length > 0 ? select : USUAL

export const groupsTitles = (query: GroupsQuery): string[] =>
  chosen(query).map((text) => (text === 'group_name' ? text : (parseItem(text).alias ?? text)))

export function groupsSql(query: GroupsQuery, { limit, offset }: { limit: number; offset: number }) {
  const columns = chosen(query).map((text) => (text === 'group_name' ? `${NAME} as group_name` : parsed(text)))
  const orders = (query.orderBy ?? []).map((text) => {
    parseOrder(text)
    return text.replace(/^group_name\b/, NAME)
  })
  const found = query.search ? ` and (${NAME} ilike {search} or key ilike {search})` : ''
  const order = orders.length > 0 ? orders.join(', ') : 'created_at desc, key'
  return {
    sql: `select ${columns.join(', ')} from groups where {filters} and index = ${query.group_type_index}${found}
      order by ${order} limit ${limit + 1} offset ${offset}`,
    filters: {
      properties: query.properties,
      dateRange: { date_from: undefined, date_to: undefined },
      filterTestAccounts: false,
      interval: undefined,
    },
    values: { search: `%${(query.search ?? '').replace(/[\\%_]/g, '\\$&')}%` },
  }
}

/** What cannot be read is refused by itself, before it stands among others. */
function parsed(text: string): string {
  parseItem(text)
  return text
}
