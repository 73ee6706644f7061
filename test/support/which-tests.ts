import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Whatever imports one of these, itself or through test/support/, may start an engine, a service or a browser. */
const STARTERS = [
  'playwright-core',
  'src/engines/clickhouse/embedded/index.ts',
  'src/engines/postgres/embedded/index.ts',
  'test/support/cluster-engine.ts',
  'test/support/embedded-elsewhere.ts',
  'test/support/nats.ts',
  'test/support/service.ts',
  'test/support/shared-engine.ts',
  'test/support/zookeeper.ts',
]

const IMPORTED = /\bfrom\s+'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g

/** Every test file of the project, by what it needs: decided by its imports, so that a new file lands where it belongs. */
export function whichTests(root: string): { readonly fast: string[]; readonly engines: string[] } {
  const files = ['src', 'test', 'web/src']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
  const known = new Map<string, boolean>()
  const needsEngines = (file: string): boolean => {
    const seen = known.get(file)
    if (seen !== undefined) return seen
    known.set(file, false)
    const answer = STARTERS.includes(file) || (isOfTests(file) && importsOf(root, file).some(needsEngines))
    known.set(file, answer)
    return answer
  }
  return {
    fast: files.filter((file) => !needsEngines(file)),
    engines: files.filter((file) => needsEngines(file)),
  }
}

/** Code under test starts nothing by being imported, so only tests and what is written for them are followed. */
const isOfTests = (file: string) => file.endsWith('.test.ts') || file.startsWith('test/')

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  return [...text.matchAll(IMPORTED)]
    .map(([, from, imported]) => from ?? imported ?? '')
    .map((name) => (name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name))
    .filter((name) => STARTERS.includes(name) || (name.startsWith('test/') && name.endsWith('.ts')))
}
