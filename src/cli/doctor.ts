import type { Finding } from '../service/index.ts'
import { askService } from './admin-client.ts'
import { CLIENT_FLAGS, readArguments } from './arguments.ts'

/** Exit status 0 when all checks pass, for scripts. */
export const doctor = {
  usage: 'doctor [--data DIR] [--json]',
  run: async (args: string[]): Promise<number> => {
    const { values } = readArguments(args, CLIENT_FLAGS)
    const findings = await askService<Finding[]>('GET', '/doctor', { data: values.data })
    if (values.json) console.log(JSON.stringify(findings, null, 2))
    else for (const { check, ok, detail } of findings) console.log(`${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`)
    return findings.every(({ ok }) => ok) ? 0 : 1
  },
}
