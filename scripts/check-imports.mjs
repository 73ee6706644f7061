// Holds src/ and web/src/ to the import rules of .dependency-cruiser.json.
// dependency-cruiser parses every file as plain TypeScript; swc has to be told which files hold JSX.
import { createRequire } from 'node:module'

const swc = createRequire(import.meta.url)('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })

process.argv.push('src', 'web/src', '--config', '.dependency-cruiser.json')
await import(new URL('../node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url).href)
