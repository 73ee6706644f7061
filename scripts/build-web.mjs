// The web app: web/ -> web/dist/, with every text file also compressed beside it, unless web/dist/ was made from these
// very sources.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { hashOf, root, run } from './prepare.mjs'

const at = (...parts) => path.join(root, ...parts)
const SOURCES = [
  'web/src',
  'web/public',
  'web/index.html',
  'web/vite.config.ts',
  'web/tsconfig.json',
  // Rules that the service and the page share.
  'src/contract/sample-size.ts',
  'package-lock.json',
]

export function buildWebIfNeeded() {
  const fingerprint = hashOf([...SOURCES, 'scripts/build-web.mjs'])
  const stamp = at('web', 'dist', '.built-from')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return
  console.error('Building the web app ...')
  const fresh = `dist-${process.pid}`
  const build = [
    at('node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    '--config',
    'web/vite.config.ts',
    '--outDir',
    fresh,
    '--logLevel',
    process.env.FOOTFALL_BUILD_LOG ?? 'warn',
  ]
  // Tests start this in an environment of their own, in which React would be built for development.
  run(process.execPath, build, { env: { ...process.env, NODE_ENV: 'production' } })
  compress(at('web', fresh))
  writeFileSync(at('web', fresh, '.built-from'), fingerprint)
  rmSync(at('web', 'dist'), { recursive: true, force: true })
  renameSync(at('web', fresh), at('web', 'dist'))
}

function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|html|svg|json)$/.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    const content = readFileSync(file)
    if (content.length < 1_000) continue
    const quality = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }
    writeFileSync(`${file}.br`, brotliCompressSync(content, quality))
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  }
}

if (import.meta.filename === process.argv[1]) buildWebIfNeeded()
