import { existsSync } from 'node:fs'

const SHELL = '/usr/bin/chromium-headless-shell'

/** The browser of the tests: Debian's Chromium without a window, which costs a third less, or the whole one. */
export const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium')
