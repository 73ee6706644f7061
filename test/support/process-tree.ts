import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly parent: number
  /** Who gets Ctrl-C together with it. */
  readonly group: number
  /** Bytes in memory. */
  readonly rss: number
  readonly command: string
}

/** A process and everything below it, as the kernel sees them now. */
export function processTree(root: number | undefined): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(describeProcess)
  const found = all.filter(({ pid }) => pid === root)
  for (let i = 0; i < found.length; i++) found.push(...all.filter(({ parent }) => parent === found[i]?.pid))
  return found
}

function describeProcess(name: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    const rss = Number(readFileSync(`/proc/${name}/statm`, 'utf8').split(' ')[1]) * 4096
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [{ pid: Number(name), parent: Number(parent), group: Number(group), rss, command }]
  } catch {
    // It ended while we looked.
    return []
  }
}

export const kill9 = (processes: readonly Process[]): void => sendSignal('SIGKILL', processes)

/** To those that still run. */
export function sendSignal(signal: NodeJS.Signals, processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended since.
    }
  }
}
