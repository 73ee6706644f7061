import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { processTree } from './process-tree.ts'

/**
 * How much slower a service has to be because others use the machine: 1 on a machine of its own, 2 where others take half of it. What the
 * service takes itself counts as no excuse. A test that bounds a time multiplies the bound by it, so that the bound is the real one on a
 * quiet machine and holds on a busy one.
 */
const EVERY_MS = 250
/** Other work comes in bursts, and a slow answer is one that met them. */
const WINDOW = 4
/** Whoever gets less than a tenth of a machine tells nothing about the service. */
const MOST = 10

interface Ticks {
  readonly all: number
  readonly idle: number
  readonly ours: number
}

/** Looks until `over` settles, and says how much slower things were in the worst second. Elsewhere than on Linux: 1. */
export async function slowdown(over: Promise<unknown>): Promise<number> {
  if (process.platform !== 'linux') return over.then(() => 1)
  let isOver = false
  const end = () => {
    isOver = true
  }
  void over.then(end, end)
  const looks: Ticks[] = []
  let worst = 1
  while (!isOver) {
    looks.push(look())
    const first = looks.at(-1 - WINDOW)
    const last = looks.at(-1)
    if (first && last) worst = Math.max(worst, slowdownBetween(first, last))
    await Promise.race([over.catch(() => {}), delay(EVERY_MS)])
  }
  return worst
}

export function slowdownBetween(first: Ticks, last: Ticks): number {
  const all = last.all - first.all
  if (all <= 0) return 1
  // A process that ended takes what it had used out of our sum.
  const ours = Math.max(0, last.ours - first.ours)
  const others = Math.min(1, Math.max(0, all - (last.idle - first.idle) - ours) / all)
  return Math.min(MOST, 1 / Math.max(1 / MOST, 1 - others))
}

function look(): Ticks {
  // user, nice, system, idle, iowait, irq, softirq, steal: what a host takes from a virtual machine is others' too.
  const all = (/^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '').split(' ').slice(0, 8).map(Number)
  return {
    all: all.reduce((sum, ticks) => sum + ticks, 0),
    idle: (all[3] ?? 0) + (all[4] ?? 0),
    // This process and all it started: the attacker, the honest client, the service and its engines.
    ours: processTree(process.pid).reduce((sum, { pid }) => sum + ticksOf(pid), 0),
  }
}

function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    // It ended while we looked.
    return 0
  }
}
