import path from 'node:path'
import { createLogger } from '../lib/logger.ts'
import { loadConfig, restoreBackup } from '../service/index.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'
import { ProgressLine } from './progress.ts'
import { UsageError } from './usage-error.ts'

export const restore = {
  usage: 'restore DIR [--data DIR] [--json]',
  about: `Fills an empty data folder with what \`footfall backup DIR\` saved. No service may run on it. The files of the backup are
checked first; a damaged one is refused before anything is touched. Where FOOTFALL_POSTGRES_URL or FOOTFALL_CLICKHOUSE_URL
name servers, those are filled instead, and must be empty too. Start the service afterwards as always.`,
  run: async (args: string[]): Promise<number> => {
    const { values, positionals } = readArguments(args, CLIENT_FLAGS)
    const [dir, ...rest] = positionals
    if (dir === undefined || rest.length > 0) throw new UsageError('name one folder: the backup to restore')
    const config = loadConfig({ argv: values.data === undefined ? [] : ['--data', values.data] })
    const progress = new ProgressLine()
    try {
      const { taken_at } = await restoreBackup({
        folder: path.resolve(dir),
        config,
        log: createLogger('warn'),
        onProgress: (what) => progress.show(() => what),
      })
      progress.end()
      console.log(
        values.json
          ? JSON.stringify({ data: config.data, taken_at })
          : `${config.data} is as the service was at ${taken_at}. Start it with \`npm start\`.`,
      )
      return 0
    } finally {
      progress.end()
    }
  },
}
