import { fileURLToPath } from 'node:url'

/**
 * The compiled file of a program that runs in a process or thread of its own.
 * Code under test is loaded from src/ by the test runner, but Node starts programs from dist/.
 */
export function entryPoint(importMetaUrl: string, relative: `./${string}.ts`): string {
  const file = fileURLToPath(new URL(relative, importMetaUrl))
  const fromSource = fileURLToPath(importMetaUrl).endsWith('.ts')
  return (fromSource ? file.replace(/([\\/])src\1(?!.*[\\/]src[\\/])/, '$1dist$1') : file).replace(/\.ts$/, '.js')
}
