/** Progress of a long command on stderr: one line that is updated on a terminal, otherwise a line from time to time. */
export class ProgressLine {
  readonly #everyMs: number
  #last = 0
  #shown = false

  constructor(everyMs = process.stderr.isTTY ? 200 : 10_000) {
    this.#everyMs = everyMs
    // On a terminal the first line is printed at once; otherwise only long commands print progress.
    this.#last = process.stderr.isTTY ? 0 : Date.now()
  }

  show(words: () => string): void {
    if (Date.now() - this.#last < this.#everyMs) return
    this.#last = Date.now()
    this.#shown = true
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${words()}`)
    else process.stderr.write(`${words()}\n`)
  }

  /** Clears the line before other output. */
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
