/**
 * Some hundred queries as people write them, asked of a running service: which are refused that should not be, and the
 * other way round. FOOTFALL_URL, FOOTFALL_KEY (a personal API key) and FOOTFALL_PROJECT say which:
 * `FOOTFALL_KEY=phx_... npm run bench sql-tryout`
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const { FOOTFALL_URL = 'http://127.0.0.1:8000', FOOTFALL_KEY = '', FOOTFALL_PROJECT = '1' } = process.env
const REFUSED = /^-- refused\n/
const FILE = path.join('bench', 'support', 'sql-tryout.sql')
const variables = { a: { code_name: 'n', value: 3 }, b: { code_name: 'start', value: '2024-01-01' } }

const queries = (await readFile(FILE, 'utf8'))
  .split(/;\n/)
  .map((text) => text.trim())
  .filter((text) => text !== '')
let different = 0
for (const text of queries) {
  const query = { kind: 'HogQLQuery', query: text, filters: { dateRange: { date_from: '-30d' } }, variables }
  const answer = await fetch(`${FOOTFALL_URL}/api/environments/${FOOTFALL_PROJECT}/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${FOOTFALL_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { detail } = (await answer.json()) as { detail?: string }
  const expected = REFUSED.test(text) ? 400 : 200
  if (answer.status === expected) continue
  different += 1
  console.log(`${answer.status} ${text.replaceAll('\n', ' ')}\n    ${detail ?? 'answered'}`)
}
console.log(`${queries.length - different} of ${queries.length} queries as expected`)
process.exitCode = different === 0 ? 0 : 1
