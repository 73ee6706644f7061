import { recordings, sendRecordings, sendStory, story } from '../demo/index.ts'
import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** An upload that is older than a week counts as one with a wrong clock. */
const RECORDED_DAYS = 6
const MOST_RECORDINGS = 40

/** Two months of a small SaaS, sent through the capture API like anybody's events. A second run adds no event: they are the same. */
export const demo = {
  usage: 'demo [--project N] [--data DIR]',
  run: async (args: string[]): Promise<number> => {
    const { values } = readArguments(args, { ...CLIENT_FLAGS, project: { type: 'string' } })
    if (values.project !== undefined && !/^\d+$/.test(values.project))
      throw new UsageError('--project takes the number of a project')
    const { url } = await askService<{ url: string }>('GET', '/status', { data: values.data })
    const projects = await askService<{ id: number; name: string; api_token: string }[]>('GET', '/projects', {
      data: values.data,
    })
    const project =
      values.project === undefined ? projects[0] : projects.find(({ id }) => id === Number(values.project))
    if (!project)
      throw new Error(
        values.project === undefined ? 'there is no project yet' : `there is no project ${values.project}`,
      )
    const events = story({ end: Date.now() })
    await sendStory(events, { url, token: project.api_token, onProgress: progress(events.length) })
    const recorded = recordings(events, { since: Date.now() - RECORDED_DAYS * 86_400_000, most: MOST_RECORDINGS })
    await sendRecordings(recorded, { url, token: project.api_token })
    console.log(
      `${events.length.toLocaleString('en')} events of two months and ${recorded.length} recordings are in project ${project.id} "${project.name}". See them at ${url}/project/${project.id}`,
    )
    return 0
  },
}

/** On a terminal one line that fills; elsewhere nothing until the end. */
function progress(total: number): (sent: number) => void {
  if (!process.stderr.isTTY) return () => {}
  return (sent) => {
    const filled = Math.round((sent / total) * 40)
    process.stderr.write(
      `\r${'█'.repeat(filled)}${'░'.repeat(40 - filled)} ${sent.toLocaleString('en')} of ${total.toLocaleString('en')} events`,
    )
    if (sent >= total) process.stderr.write('\n')
  }
}
