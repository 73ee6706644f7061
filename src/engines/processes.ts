import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A process that still runs. A dead one may stay in the process table (a zombie), and its pid may be used again. */
interface LivingProcess {
  readonly parent: number
  readonly command: string
}

/** Null when there is no such process, or only a zombie. */
export function livingProcess(pid: number): LivingProcess | null {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return null
  }
}

function fromProc(pid: number): LivingProcess | null {
  // The name in the second field may contain spaces and brackets, so count from the last bracket.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // The first thread may have ended while others still have files open.
  if (state === 'X' || (state === 'Z' && readdirSync(`/proc/${pid}/task`).length < 2)) return null
  return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
}

function fromPs(pid: number): LivingProcess | null {
  const line = execFileSync('ps', ['-ww', '-o', 'stat=,ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })
  const [, state = '', parent, command = ''] = /^\s*(\S+)\s+(\d+)\s+(.*)/.exec(line) ?? []
  return state === '' || state.startsWith('Z') ? null : { parent: Number(parent), command }
}
