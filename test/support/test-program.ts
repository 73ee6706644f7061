import path from 'node:path'

/** A file of test/support/programs/, bundled together with the sources it runs, for a process or thread of its own. */
export function testProgram(name: string): string {
  const folder = process.env.TEST_COMPILED
  if (folder === undefined) throw new Error(`${name} is compiled by the test runner: run this with vitest`)
  return path.join(folder, 'test', `${name}.js`)
}
