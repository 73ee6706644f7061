/** What tests use of prepare.mjs. */
export function compiledForTests(base?: string): string
export function forgetOldCompiled(inUse: string, base?: string): void
