import type { CohortFields } from '../../contract/resources/cohort.ts'
import { ApiError } from '../../http/errors.ts'
import { type Criteria, readCriteria, readGroups } from '../../insights/index.ts'
import { isUuid } from '../../lib/uuid.ts'

/** Who is meant: `filters`, or the older `groups` without them. */
export const criteriaOf = ({ filters, groups }: CohortFields): Criteria =>
  filters === undefined || filters === null ? readGroups(groups ?? [], refuse) : readCriteria(filters, refuse)

const refuse = (message: string, path: readonly (string | number)[]): never => {
  throw new ApiError('invalid_input', message, { attr: path.join('__') })
}

/** Persons by whatever names them. */
export interface Listed {
  readonly uuids: readonly string[]
  readonly distinctIds: readonly string[]
  readonly emails: readonly string[]
}

export function listedIn(fields: CohortFields): Listed {
  const uuids = [...(fields.person_ids ?? []), ...(fields._create_static_person_ids ?? [])]
  const odd = uuids.find((id) => !isUuid(id))
  if (odd !== undefined)
    throw new ApiError('invalid_input', `${JSON.stringify(odd)} is no uuid of a person: send those, or distinct_ids.`, {
      attr: 'person_ids',
    })
  const file = csvOf(fields.csv ?? '')
  return {
    uuids: [...uuids, ...file.uuids],
    distinctIds: [...(fields.distinct_ids ?? []), ...file.distinctIds],
    emails: file.emails,
  }
}

const PERSON_COLUMNS = new Set(['person_id', 'person_uuid', 'uuid', 'id'])

/** With a header that names a column, that column; else the first, as distinct ids. */
function csvOf(csv: string): Listed {
  const rows = csv
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .map(cells)
  const names = (rows[0] ?? []).map((name) => name.toLowerCase().replaceAll('-', '_'))
  const column = (wanted: (name: string) => boolean) => {
    const at = names.findIndex(wanted)
    return at < 0 ? [] : rows.slice(1).flatMap((row) => row[at] || [])
  }
  const none = { uuids: [], distinctIds: [], emails: [] }
  if (names.some((name) => PERSON_COLUMNS.has(name)))
    return { ...none, uuids: column((name) => PERSON_COLUMNS.has(name)).filter(isUuid) }
  if (names.includes('distinct_id')) return { ...none, distinctIds: column((name) => name === 'distinct_id') }
  if (names.includes('email')) return { ...none, emails: column((name) => name === 'email') }
  return { ...none, distinctIds: rows.flatMap(([first]) => first || []) }
}

const CELL = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/y

function cells(line: string): string[] {
  const found: string[] = []
  CELL.lastIndex = 0
  while (CELL.lastIndex < line.length) {
    const match = CELL.exec(line)
    if (match === null) break
    const cell = match[1]?.replaceAll('""', '"') ?? (match[2] as string).trim()
    // An id that would be run as a formula has an apostrophe in front in our own files (lib/csv.ts).
    found.push(cell.replace(/^'(?=[=+\-@\t\r])/, ''))
  }
  return found
}
