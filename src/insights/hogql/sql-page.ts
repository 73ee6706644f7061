/** The chapters of docs/SQL.md about tables, fields and functions, from the tables themselves. `npm run docs` writes it. */
import { COSTS } from './bounded-calls.ts'
import { KEEPS, MOST_COLLECTED, MOST_TEXT } from './collected.ts'
import type { Family, FunctionRow } from './functions/row.ts'
import { COMBINATORS, FUNCTIONS } from './functions.ts'
import { SYSTEM_TABLES } from './system-tables.ts'
import { TABLE_FIELDS } from './table-fields.ts'

/** What follows this line is made; what stands before it is written by hand. */
export const MADE_BELOW =
  '<!-- The rest of this page is made by npm run docs; a test holds it together with the code. -->'

export const sqlReference = (): string => `${MADE_BELOW}

${tablesChapter()}

${functionsChapter()}
`

/** The page with the chapters that are made, whatever stands before them. */
export function sqlPage(page: string): string {
  const at = page.indexOf(MADE_BELOW)
  return `${(at === -1 ? page : page.slice(0, at)).trimEnd()}\n\n${sqlReference()}`
}

function tablesChapter(): string {
  const tables = Object.entries(TABLE_FIELDS).map(([table, { words, fields }]) => {
    const rows = fields.map(([name, type, meaning]) => `| ${code(name)} | ${type} | ${meaning} |`)
    return `### ${table}\n${words}\n\n| field | type | |\n|---|---|---|\n${rows.join('\n')}`
  })
  const system = Object.entries(SYSTEM_TABLES).map(
    ([table, columns]) => `| ${code(table)} | ${Object.keys(columns).map(code).join(', ')} |`,
  )
  return `## Tables and fields
Every table shows one project. \`team_id\` is its number, in every table. A table with \`raw_\` before its name is the same
table; it also has \`is_deleted\` (0) and \`version\` (1). \`numbers(n)\` is a table of the numbers from 0, in \`number\`.

${tables.join('\n\n')}

### About the project itself

| table | fields |
|---|---|
${system.join('\n')}`
}

function functionsChapter(): string {
  const families = [...new Set(FUNCTIONS.map(({ family }) => family))]
  return `## Functions
${FUNCTIONS.length} functions, found in any case. Examples of aggregates and windows are about a table with the numbers 0 to 4 in
\`n\`, those of products about an event; a test asks each of them over HTTP. "NULL" says when a call may answer NULL: never, always (whatever its arguments are),
or, where nothing is said, when an argument is NULL.

An aggregate may be followed by ${COMBINATORS.map(code).join(', ')}, also by several of them: \`sumIf(price, price > 5)\`,
\`uniqExactOrNullIf(...)\`.

A query calls up to 1000 functions, and up to 100 of those that go through lists, patterns and documents. What could
take too long has a bound; a query that goes beyond it is answered with words that say so, and where the call stands. An
aggregate that keeps every value, key or row of a group is bounded by the memory of a query, 2 GB; so is one with
\`ForEach\` or \`Map\`, which keeps a state for every place of its lists or key of its maps. When that is not enough, the
answer names these calls and what to write instead. What \`State\` makes is for a query around it, which merges it with
\`Merge\`; as an answer it is refused.

${families.map(familySection).join('\n\n')}`
}

function familySection(family: Family): string {
  const rows = FUNCTIONS.filter((row) => row.family === family)
    .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
    .map(functionLine)
  return `### ${family[0]?.toUpperCase()}${family.slice(1)}

| function | NULL | bound | example | answers |
|---|---|---|---|---|
${rows.join('\n')}`
}

function functionLine({ name, args, nulls, cost, grows, collects, keeps, example, answer }: FunctionRow): string {
  const call = args.startsWith('(') || args.startsWith('[(') ? `${name}${args}` : `${name}(${args})`
  const bounds = [
    cost === 'list' || cost === 'document' ? '' : COSTS[cost],
    collects ? `keeps up to ${collects === 'text' ? `${MOST_TEXT} bytes` : `${MOST_COLLECTED} values`} of a group` : '',
    keeps ? KEEPS[keeps] : '',
    grows ? `makes up to ${grows.most}${grows.times === undefined ? '' : ' bytes'}` : '',
  ].filter((bound) => bound !== '')
  const said = nulls === 'like-arguments' ? '' : nulls === 'like-all-arguments' ? 'if all arguments are' : nulls
  const shown = [code(example), code(JSON.stringify(answer))]
  return `| ${code(call)} | ${said} | ${bounds.join('; ')} | ${shown.join(' | ')} |`
}

/** Bars would end a cell. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
