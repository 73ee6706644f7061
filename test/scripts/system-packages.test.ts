import { expect, it } from 'vitest'
import { missingPackages, planInstallation } from '../../scripts/system-packages.mjs'

const debian = { apt: true, root: false, refused: false }

it('nothing is missing when one of the files of each package is there', () => {
  const there = ['/usr/bin/chromium', '/usr/sbin/nats-server', '/usr/share/java/zookeeper.jar', '/usr/bin/java']
  expect(missingPackages((file) => there.includes(String(file)))).toEqual([])
  expect(missingPackages(() => false)).toEqual([
    'chromium-headless-shell',
    'nats-server',
    'libzookeeper-java',
    'default-jre-headless',
  ])
})

it('nothing missing, nothing done', () => expect(planInstallation([], debian)).toEqual({ commands: [], advice: null }))

it('an ordinary user installs with sudo, root without', () => {
  expect(planInstallation(['nats-server'], debian).commands.map(([first]) => first)).toEqual(['sudo', 'sudo'])
  expect(planInstallation(['nats-server'], { ...debian, root: true }).commands).toEqual([
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'nats-server'],
  ])
})

it('who refuses gets the commands to run by hand, and who has no apt the names', () => {
  const refused = planInstallation(['nats-server'], { ...debian, refused: true })
  expect(refused.commands).toEqual([])
  expect(refused.advice).toMatch(/by hand:\n {2}sudo apt-get update -qq\n {2}sudo apt-get install .* nats-server\n/)
  const elsewhere = planInstallation(['nats-server'], { ...debian, apt: false })
  expect(elsewhere.commands).toEqual([])
  expect(elsewhere.advice).toContain(
    'The tests need nats-server of this machine. Install them with your package manager.',
  )
})
