/** How far a long command is, on stderr: one line that changes on a terminal, a line now and then elsewhere. */
export class ProgressLine {
  readonly #everyMs: number
  #last = 0
  #shown = false

  constructor(everyMs = process.stderr.isTTY ? 200 : 10_000) {
    this.#everyMs = everyMs
    // The first line comes at once on a terminal; elsewhere only commands that take a while say anything.
    this.#last = process.stderr.isTTY ? 0 : Date.now()
  }

  show(words: () => string): void {
    if (Date.now() - this.#last < this.#everyMs) return
    this.#last = Date.now()
    this.#shown = true
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${words()}`)
    else process.stderr.write(`${words()}\n`)
  }

  /** Makes room for what comes next. */
  end(): void {
    if (this.#shown && process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
    this.#shown = false
  }
}

export const inDigits = (count: number): string => count.toLocaleString('en')

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function inBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** unit
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}
