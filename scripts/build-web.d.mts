export function buildWebIfNeeded(): void
