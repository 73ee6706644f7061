// `npm run release -- 0.2.0`: sets the version, dates the changelog, commits and tags. Nothing leaves the machine; it
// prints what to push. --dry-run shows what it would do, --no-test leaves out `npm test`.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installIfNeeded, root, run } from './prepare.mjs'
import { reasonsAgainst, released, unreleased, withVersion } from './release-plan.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, 'no-test': { type: 'boolean', default: false } },
})
const [version] = positionals
if (version === undefined) fail(['Say which version: npm run release -- 0.2.0'])

const read = (name) => readFileSync(path.join(root, name), 'utf8')
const git = (...args) => {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) fail([`git ${args.join(' ')}: ${stderr.trim()}`])
  return stdout.trimEnd()
}

const changelog = read('CHANGELOG.md')
const reasons = reasonsAgainst({
  version,
  current: JSON.parse(read('package.json')).version,
  branch: git('branch', '--show-current'),
  changes: git('status', '--porcelain'),
  tags: git('tag', '--list').split('\n'),
  changelog,
})
if (reasons.length > 0) fail(reasons)

const notes = unreleased(changelog)
const files = {
  'CHANGELOG.md': released(changelog, version, new Date().toISOString().slice(0, 10)),
  'package.json': withVersion(read('package.json'), version),
  'package-lock.json': withVersion(read('package-lock.json'), version),
}
const dryRun = options['dry-run']

step(
  options['no-test'] ? 'Leave out the tests (--no-test)' : 'Run npm test: style, types, imports and every test',
  () => {
    if (options['no-test']) return
    installIfNeeded()
    run('npm', ['test'])
  },
)
step(`Write ${Object.keys(files).join(', ')}`, () => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text)
})
step(`Commit "Release ${version}"`, () => {
  git('add', ...Object.keys(files))
  git('commit', '--quiet', '--message', `Release ${version}`)
})
// Lines of the changelog that begin with # are headings, not comments.
step(`Tag v${version}, with the notes of the changelog`, () =>
  git('tag', '--annotate', '--cleanup=whitespace', `v${version}`, '--message', `Footfall ${version}\n\n${notes}`),
)
if (dryRun) console.log(`\nNotes of the tag:\n\n${notes}`)
console.log(
  `\n${dryRun ? 'Nothing was changed. Afterwards, push' : 'Done. Push'} it with:\n  git push origin main v${version}`,
)

function step(what, work) {
  console.log(`${dryRun ? 'Would: ' : ''}${what}`)
  if (!dryRun) work()
}

function fail(reasons) {
  for (const reason of reasons) console.error(reason)
  process.exit(1)
}
