// Writes all persons of a project as CSV to stdout, the way the API does. Started with little memory by the test of that.
import { writeCsv } from '../../dist/api/frame/csv.js'
import { walkPersons } from '../../dist/api/persons/list-persons.js'
import { PERSON_QUERY } from '../../dist/api/persons/person-query.js'
import { personRecord } from '../../dist/api/persons/person-record.js'
import { openPostgres } from '../../dist/engines/postgres/index.js'
import { createLogger } from '../../dist/lib/logger.js'

const [connection, projectId] = process.argv.slice(2)
const sql = await openPostgres(JSON.parse(connection), { log: createLogger('silent') })
const project = { id: Number(projectId), timezone: 'UTC', person_display_name_properties: null }
const everybody = { limit: null, offset: 0 }
await walkPersons({ sql, project, now: () => new Date() }, PERSON_QUERY.parse({}), everybody, (walk) =>
  writeCsv(process.stdout, async function* () {
    for await (const page of walk()) yield page.map((person) => personRecord(person, project))
  }),
)
await sql.end({ timeout: 1 })
