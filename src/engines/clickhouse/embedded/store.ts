import path from 'node:path'

/** Where the engine keeps its tables, in its folder. */
export const storeOf = (dataDir: string): string => path.join(dataDir, 'store')
