import { readFileSync } from 'node:fs'
import net from 'node:net'
import { type Config, ConfigError, variableOf } from './config.ts'

/** Whether only root may listen there. */
export function needsRoot(port: number): boolean {
  const first = readable('/proc/sys/net/ipv4/ip_unprivileged_port_start')
  return port > 0 && port < Number(first ?? 1024)
}

function readable(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Says at once that the port is taken, instead of after the engines have started. */
export async function refuseTakenPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = net.createServer()
  await new Promise<void>((done, fail) => probe.once('error', fail).listen({ host, port }, done)).catch(
    (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `${port} is already in use on ${host}: stop what listens there, or choose another port`,
        EACCES: `${port} needs more rights than this user has: choose one above 1023`,
        EADDRNOTAVAIL: `${host} is not an address of this machine`,
      }
      const setting = ['EADDRINUSE', 'EACCES'].includes(error.code ?? '') ? 'port' : 'host'
      throw new ConfigError(`${variableOf(setting)}: ${why[error.code ?? ''] ?? error.message}`)
    },
  )
  await new Promise((done) => probe.close(done))
}
