// docs/DEPENDENCIES.md, made from package-lock.json: what runs in production, and what is compiled into the web app,
// with licences.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './prepare.mjs'

const locked = () => JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages

export function dependenciesPage() {
  const packages = locked()
  const production = Object.keys(packages).filter((at) => at !== '' && !packages[at].dev && !packages[at].devOptional)
  const web = closure(packages, importedByWebApp()).filter((at) => !production.includes(at))
  return `# Dependencies

Made by \`npm run docs\` from \`package-lock.json\`; a test compares.

## In production
${table(packages, production)}

## Compiled into the web app
${table(packages, web)}
`
}

function table(packages, places) {
  const rows = places.map((at) => `| \`${nameOf(at)}\` | ${packages[at].version} | ${licenceOf(packages, at)} |`)
  return ['| package | version | licence |', '|---|---|---|', ...new Set(rows.sort())].join('\n')
}

const nameOf = (at) => at.split('node_modules/').at(-1)

/**
 * Packages for other machines than the one that wrote the lock file come without: they are builds of the same source.
 */
function licenceOf(packages, at) {
  const own = packages[at].license
  if (own) return own
  const family = nameOf(at).split('-')[0]
  const sister = Object.keys(packages).find(
    (other) => nameOf(other).split('-')[0] === family && packages[other].license,
  )
  if (!sister) throw new Error(`${at} has no licence in package-lock.json`)
  return packages[sister].license
}

function importedByWebApp() {
  const files = readdirSync(path.join(root, 'web', 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.'),
  )
  const names = new Set()
  for (const file of files)
    for (const [, name] of readFileSync(path.join(root, 'web', 'src', file), 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*'((?:@[\w-]+\/)?[\w-][\w.-]*)/g,
    ))
      names.add(name)
  return [...names].filter((name) => locked()[`node_modules/${name}`] && !name.startsWith('@types/'))
}

/** As Node looks for a package: beside the one that wants it, then further up. */
function closure(packages, names) {
  const found = new Set()
  const visit = (name, from) => {
    for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
      const at = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`
      if (packages[at]) {
        if (found.has(at)) return
        found.add(at)
        for (const wanted of Object.keys(packages[at].dependencies ?? {})) visit(wanted, at)
        return
      }
      if (folder === '') return
    }
  }
  for (const name of names) visit(name, '')
  return [...found]
}
