import { setTimeout as delay } from 'node:timers/promises'
import type { DemoProgress } from '../demo/index.ts'
import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, projectNumber, readArguments } from './arguments.ts'
import { inDigits } from './progress.ts'
import { UsageError } from './usage-error.ts'

type Load = DemoProgress & { readonly project: number; readonly name: string }

/** Sends two months of events of a small SaaS through the capture API. A second run adds only what is missing. */
export const demo = {
  usage: 'demo [--project N] [--visitors N] [--data DIR]',
  run: async (args: string[]): Promise<number> => {
    const { values } = readArguments(args, {
      ...CLIENT_FLAGS,
      project: { type: 'string' },
      visitors: { type: 'string' },
    })
    const project = projectNumber(values.project)
    if (values.visitors !== undefined && !/^\d+$/.test(values.visitors))
      throw new UsageError('--visitors takes a number: how many visitors to make up, 3200 by default')
    const { data } = values
    const body = {
      ...(project === undefined ? {} : { project }),
      ...(values.visitors === undefined ? {} : { visitors: Number(values.visitors) }),
    }
    const { url } = await askService<{ url: string }>('GET', '/status', { data })
    let load = await askService<Load>('POST', '/demo', { data, body })
    while (load.state === 'sending' || load.state === 'storing') {
      show(load)
      await delay(200)
      load = await askService<Load>('GET', `/demo?project=${load.project}`, { data })
    }
    show(load)
    if (load.state === 'failed') throw new Error(load.error ?? 'the demo could not be loaded')
    console.log(inWords(load, `project ${load.project} "${load.name}". See them at ${url}/project/${load.project}`))
    return 0
  },
}

function inWords({ events, recordings, total }: Load, where: string): string {
  if (events + recordings === 0) return `Nothing to add: the demo's ${inDigits(total)} events are already in ${where}`
  if (events < total) return `${inDigits(events)} new events and ${recordings} new recordings were added to ${where}`
  return `${inDigits(events)} events of two months and ${recordings} recordings are in ${where}`
}

/** A progress line on a terminal; otherwise nothing until the end. */
function show({ looked, total, state }: Load): void {
  if (!process.stderr.isTTY || total === 0) return
  const filled = Math.round((looked / total) * 40)
  const words = state === 'sending' ? `${inDigits(looked)} of ${inDigits(total)} events` : 'storing them   '
  process.stderr.write(`\r${'█'.repeat(filled)}${'░'.repeat(40 - filled)} ${words}   `)
  if (state === 'done' || state === 'failed') process.stderr.write('\n')
}
