// The rules of a release, without doing anything: what has to be true before, and what the files say after. release.mjs
// does it.

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * Why this version cannot be released from here. Empty when it can.
 * @typedef {Record<'version' | 'current' | 'branch' | 'changes' | 'changelog', string> & { tags: string[] }} State
 * @param {State} state `changes` is what `git status --porcelain` says.
 */
export function reasonsAgainst({ version, current, branch, changes, tags, changelog }) {
  const reasons = []
  if (!VERSION.test(version)) reasons.push(`"${version}" is not a version. Use three numbers, such as 0.2.0.`)
  else if (!isNewer(version, current))
    reasons.push(`${version} is not newer than ${current}, the version in package.json.`)
  if (branch !== 'main') reasons.push(`Releases are made on main; this is ${branch === '' ? 'no branch' : branch}.`)
  if (changes.trim() !== '') reasons.push(`There are changes that are not committed:\n${changes.trimEnd()}`)
  if (tags.includes(`v${version}`)) reasons.push(`The tag v${version} exists.`)
  if (unreleased(changelog) === '')
    reasons.push('CHANGELOG.md has nothing under "## Unreleased". Say there what users will notice.')
  return reasons
}

function isNewer(version, current) {
  const numbers = (text) => text.split('.').map(Number)
  const [a, b] = [numbers(version), numbers(current)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at >= 0 && a[at] > b[at]
}

const HEADING = /^## Unreleased[^\S\n]*\n/m

/** What stands under "Unreleased", up to the next version. */
export function unreleased(changelog) {
  const found = HEADING.exec(changelog)
  if (!found) return ''
  const rest = changelog.slice(found.index + found[0].length)
  const end = rest.search(/^## /m)
  return (end < 0 ? rest : rest.slice(0, end)).trim()
}

/** The changelog with what was unreleased under the version, and an empty "Unreleased" above it. */
export const released = (changelog, version, date) =>
  changelog.replace(HEADING, `## Unreleased\n\n## ${version} - ${date}\n`)

/** package.json or package-lock.json with the version, and nothing else changed. */
export function withVersion(json, version) {
  const content = JSON.parse(json)
  content.version = version
  if (content.packages?.['']) content.packages[''].version = version
  return `${JSON.stringify(content, null, 2)}\n`
}
