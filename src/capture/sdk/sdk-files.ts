import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/**
 * The scripts of the `posthog-js` package, which pages load from here. A name is looked up in the list of the package's
 * files, so no name can lead out of its folder. Each file is read and compressed once, at its first request.
 */
export interface SdkFile {
  readonly content: Buffer
  readonly gzipped: Buffer
  readonly etag: string
  readonly type: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'application/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
}

const compress = promisify(gzip)

export class SdkFiles {
  readonly #folder: string
  readonly version: string
  #names: Promise<ReadonlySet<string>> | undefined
  readonly #loaded = new Map<string, Promise<SdkFile>>()

  constructor() {
    const require = createRequire(import.meta.url)
    const manifest = require.resolve('posthog-js/package.json')
    this.#folder = path.join(path.dirname(manifest), 'dist')
    this.version = (require(manifest) as { version: string }).version
  }

  async find(name: string): Promise<SdkFile | undefined> {
    this.#names ??= this.#list()
    if (!(await this.#names).has(name)) return undefined
    const known = this.#loaded.get(name)
    if (known) return known
    const loading = this.#load(name)
    this.#loaded.set(name, loading)
    return loading
  }

  async #list(): Promise<ReadonlySet<string>> {
    const entries = await readdir(this.#folder, { withFileTypes: true })
    return new Set(
      entries.filter((entry) => entry.isFile() && path.extname(entry.name) in TYPES).map((entry) => entry.name),
    )
  }

  async #load(name: string): Promise<SdkFile> {
    return sdkFile(await readFile(path.join(this.#folder, name)), TYPES[path.extname(name)] as string)
  }
}

export async function sdkFile(content: Buffer, type: string): Promise<SdkFile> {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
  return { content, gzipped: await compress(content), etag, type }
}
