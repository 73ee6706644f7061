import os from 'node:os'

/**
 * Lowers the priority of the calling thread by this many steps of niceness; threads it starts inherit that. On other
 * systems than Linux niceness belongs to the whole process, so nothing is done.
 */
export function yieldBy(steps: number): void {
  if (process.platform === 'linux') renice(0, steps)
}

/** The same for a process that was just spawned. */
export function makeYield(pid: number | undefined, steps: number): void {
  if (pid !== undefined) renice(pid, steps)
}

function renice(pid: number, steps: number): void {
  try {
    os.setPriority(pid, Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority(pid) + steps))
  } catch {
    // Not allowed, or already ended: the priority stays.
  }
}
