// Writes all persons of a project as CSV to stdout, the way the API does. Started with little memory by the test of that.
const { writeCsv } = await import(`${process.env.TEST_COMPILED}/api/frame/csv.js`)
const { walkPersons } = await import(`${process.env.TEST_COMPILED}/api/persons/list-persons.js`)
const { PERSON_QUERY } = await import(`${process.env.TEST_COMPILED}/api/persons/person-query.js`)
const { personRecord } = await import(`${process.env.TEST_COMPILED}/api/persons/person-record.js`)
const { openPostgres } = await import(`${process.env.TEST_COMPILED}/engines/postgres/index.js`)
const { createLogger } = await import(`${process.env.TEST_COMPILED}/lib/logger.js`)

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
