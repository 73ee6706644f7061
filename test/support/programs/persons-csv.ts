// Writes all persons of a project as CSV to stdout, the way the API does. Started with little memory by the test of that.
import { findProject } from '../../../src/accounts/index.ts'
import { writeCsv } from '../../../src/api/frame/csv.ts'
import { walkPersons } from '../../../src/api/persons/list-persons.ts'
import { PERSON_QUERY } from '../../../src/api/persons/person-query.ts'
import { personRecord } from '../../../src/api/persons/person-record.ts'
import { openClickHouse } from '../../../src/engines/clickhouse/index.ts'
import { onPrimary, openPostgres } from '../../../src/engines/postgres/index.ts'
import { createLogger } from '../../../src/lib/logger.ts'

const [connection = '', projectId] = process.argv.slice(2)
const log = createLogger('silent')
const sql = await openPostgres(JSON.parse(connection), { log })
const project = await findProject(sql, Number(projectId))
if (!project) throw new Error(`there is no project ${projectId}`)
// Asked only about patterns, of which there are none here.
const clickhouse = openClickHouse({ url: 'http://127.0.0.1:9', log })
const everybody = { limit: null, offset: 0 }
await walkPersons(
  { sql, reading: onPrimary(sql), clickhouse, project, now: () => new Date() },
  PERSON_QUERY.parse({}),
  everybody,
  (walk) =>
    writeCsv(process.stdout, async function* () {
      for await (const page of walk()) yield page.map((person) => personRecord(person, project))
    }),
)
await clickhouse.close()
await sql.end({ timeout: 1 })
