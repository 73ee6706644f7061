// The browser and the servers that tests drive come from the operating system. Where they are missing, Debian's packages
// are installed: what will run is said first, and FOOTFALL_TEST_NO_SUDO=1 refuses it.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'

/** Name of the Debian package -> one of these files shows that it is there. */
const WANTED = {
  'chromium-headless-shell': ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'],
  'nats-server': ['/usr/sbin/nats-server'],
  // Not the package `zookeeper`: it brings a Java with windows and fonts.
  'libzookeeper-java': ['/usr/share/java/zookeeper.jar'],
  'default-jre-headless': ['/usr/bin/java'],
}

export const missingPackages = (exists = existsSync) =>
  Object.keys(WANTED).filter((name) => !WANTED[name].some((file) => exists(file)))

/**
 * What to do about missing packages: nothing, run commands, or give up with advice.
 * @param {string[]} missing
 * @param {{ apt: boolean, root: boolean, refused: boolean }} machine
 * @returns {{ commands: string[][], advice: string | null }}
 */
export function planInstallation(missing, { apt, root, refused }) {
  if (missing.length === 0) return { commands: [], advice: null }
  const prefix = root ? [] : ['sudo']
  const commands = [
    [...prefix, 'apt-get', 'update', '-qq'],
    [...prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing],
  ]
  const need = `The tests need ${missing.join(' and ')} of this machine.`
  const without = '`npm run test:fast` runs the tests that need none of them.'
  if (!apt) return { commands: [], advice: `${need} Install them with your package manager. ${without}` }
  if (refused) {
    const byHand = commands.map((command) => `  ${command.join(' ')}`).join('\n')
    return {
      commands: [],
      advice: `${need} FOOTFALL_TEST_NO_SUDO is set, so install them by hand:\n${byHand}\n${without}`,
    }
  }
  return { commands, advice: null }
}

/** Installs what is missing, after saying so. Resolves with false when something is missing and stays so. */
export async function installSystemPackages(run) {
  const missing = missingPackages()
  const { commands, advice } = planInstallation(missing, {
    apt: existsSync('/usr/bin/apt-get'),
    root: process.getuid?.() === 0,
    refused: Boolean(process.env.FOOTFALL_TEST_NO_SUDO),
  })
  if (advice !== null) console.error(advice)
  if (commands.length === 0) return advice === null
  console.error(`The tests need ${missing.join(' and ')}. This will be run on your machine to install them:`)
  for (const command of commands) console.error(`  ${command.join(' ')}`)
  console.error('(FOOTFALL_TEST_NO_SUDO=1 refuses this; `npm run test:fast` needs none of it)')
  if (!(await agreed())) return false
  try {
    for (const [file, ...args] of commands) run(file, args)
    return true
  } catch (error) {
    console.error(`${error.message}. Install ${missing.join(' and ')} by hand, with the commands above.`)
    return false
  }
}

/** Somebody who sits in front of it is asked; a machine that tests by itself is not. */
async function agreed() {
  if (!process.stdin.isTTY || process.env.CI) return true
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question('Go ahead? [Y/n] ')
  prompt.close()
  return !/^n/i.test(answer.trim())
}
