import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { reasonsAgainst, released, unreleased, withVersion } from '../../scripts/release-plan.mjs'

const CHANGELOG = `# Changelog

What users will notice.

## Unreleased

### API
- Something new.

## 0.1.0 - 2026-10-01

- The first one.
`

const ready = {
  version: '0.2.0',
  current: '0.1.0',
  branch: 'main',
  changes: '',
  tags: [],
  changelog: CHANGELOG,
}

it('a newer version can be released from a clean main with notes', () => {
  for (const version of ['0.1.1', '0.2.0', '0.10.0', '1.0.0'])
    expect(reasonsAgainst({ ...ready, version }), version).toEqual([])
})

it.each([
  ['no version', { version: 'v0.2' }, 'not a version'],
  ['an older version', { version: '0.0.9' }, 'not newer than 0.1.0'],
  ['the same version', { version: '0.1.0' }, 'not newer than 0.1.0'],
  ['another branch', { branch: 'work' }, 'Releases are made on main; this is work.'],
  ['no branch', { branch: '' }, 'this is no branch'],
  ['changes', { changes: ' M src/cli.ts\n' }, 'M src/cli.ts'],
  ['a tag that exists', { tags: ['v0.2.0'] }, 'The tag v0.2.0 exists.'],
  ['no notes', { changelog: '# Changelog\n\n## Unreleased\n\n## 0.1.0\n- old\n' }, 'nothing under "## Unreleased"'],
  ['no heading', { changelog: '# Changelog\n' }, 'nothing under "## Unreleased"'],
])('%s is refused, with the reason', (_what, more, reason) => {
  const reasons = reasonsAgainst({ ...ready, ...more })
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toContain(reason)
})

it('notes move from Unreleased to the version, and an empty Unreleased stays on top', () => {
  const after = released(CHANGELOG, '0.2.0', '2026-11-15')
  expect(after).toContain('## Unreleased\n\n## 0.2.0 - 2026-11-15\n\n### API\n- Something new.\n\n## 0.1.0')
  expect(unreleased(CHANGELOG)).toBe('### API\n- Something new.')
  expect(unreleased(after)).toBe('')
})

it('the version is all that changes in package.json and package-lock.json', () => {
  for (const name of ['package.json', 'package-lock.json']) {
    const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    const { version } = JSON.parse(text) as { version: string }
    expect(withVersion(text, version)).toBe(text)
    const next = withVersion(text, '99.0.0')
    const changed = next.split('\n').filter((line, index) => line !== text.split('\n')[index])
    expect(new Set(changed.map((line) => line.trim()))).toEqual(new Set(['"version": "99.0.0",']))
  }
})

it('the changelog of this project has a heading for what is not released', () =>
  expect(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')).toMatch(/^## Unreleased$/m))
