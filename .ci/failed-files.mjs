// Prints the files that failed, out of vitest's JSON report. Nothing when there is no report, or when so many failed that
// it cannot be chance.
import { readFileSync } from 'node:fs'
import path from 'node:path'

const MOST = 25
const text = readFileSync(process.argv[2], 'utf8')
const { testResults } = text === '' ? { testResults: [] } : JSON.parse(text)
const failed = new Set(
  testResults.filter(({ status }) => status === 'failed').map(({ name }) => path.relative(process.cwd(), name)),
)
if (failed.size <= MOST) console.log([...failed].join(' '))
