import { existsSync } from 'node:fs'

const SHELL = '/usr/bin/chromium-headless-shell'

/** The browser of the tests: Chromium without a window, which costs a third less, or the whole one. */
export const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium'),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
