// `node scripts/complete-lock.mjs`: fills in the checksums that package-lock.json lacks. npm writes none for an
// optional package that it did not download, such as the builds for other platforms; without a checksum, whoever does
// download it installs it unchecked.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './prepare.mjs'

const file = path.join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const [at, entry] of Object.entries(lock.packages)) {
  if (at === '' || entry.link || entry.integrity) continue
  const name = at.split('node_modules/').at(-1)
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity', '--json'], {
    encoding: 'utf8',
  })
  if (status !== 0) {
    console.error(`${name}@${entry.version}: the registry does not have it`)
    continue
  }
  const integrity = JSON.parse(stdout)
  const { version, resolved, ...rest } = entry
  // In the place where npm writes it, so that the next `npm install` changes nothing.
  lock.packages[at] = { version, ...(resolved ? { resolved } : {}), integrity, ...rest }
  console.log(`${name}@${entry.version}: ${integrity}`)
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
