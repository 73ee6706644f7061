import { type PipelineThread, type PipelineThreadOptions, startPipelineThread } from './thread.ts'

interface PipelineThreadsOptions extends PipelineThreadOptions {
  readonly threads: number
}

/** Several threads share the partitions as several processes do, each under a name of its own. */
export async function startPipelineThreads({ threads, ...options }: PipelineThreadsOptions): Promise<PipelineThread> {
  const { start } = options
  const { sharesAs } = start
  if (threads === 1) return startPipelineThread(options)
  const started: PipelineThread[] = []
  try {
    for (let at = 0; at < threads; at++)
      started.push(await startPipelineThread({ ...options, start: { ...start, sharesAs: `${sharesAs}-${at}` } }))
  } catch (error) {
    await Promise.all(started.map((thread) => thread.stop()))
    throw error
  }
  return together(started)
}

function together(threads: readonly PipelineThread[]): PipelineThread {
  return {
    get running() {
      return threads.every((thread) => thread.running)
    },
    get restarts() {
      return threads.reduce((sum, { restarts }) => sum + restarts, 0)
    },
    watch(projects) {
      for (const thread of threads) thread.watch(projects)
    },
    whilePaused: (work) => threads.reduce((inner, thread) => () => thread.whilePaused(inner), work)(),
    stop: async () => {
      await Promise.all(threads.map((thread) => thread.stop()))
    },
  }
}
