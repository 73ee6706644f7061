import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The compiled file of a program that runs in a process or thread of its own. Code under test is loaded from src/ by
 * the test runner, which says in TEST_COMPILED where it compiled the same sources for Node.
 */
export function entryPoint(importMetaUrl: string, relative: `${'.' | '..'}/${string}.ts`): string {
  const file = fileURLToPath(new URL(relative, importMetaUrl))
  return (fileURLToPath(importMetaUrl).endsWith('.ts') ? compiled(file) : file).replace(/\.ts$/, '.js')
}

function compiled(file: string): string {
  const folder = process.env.TEST_COMPILED
  if (folder === undefined) throw new Error(`${file} cannot run in a process of its own: TEST_COMPILED is not set`)
  return path.join(folder, path.relative(path.join(path.dirname(folder), 'src'), file))
}
