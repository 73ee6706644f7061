import { chmod, chown, lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { handOver } from '../../hand-over.ts'
import { type EngineProgram, IN_USER_NAMESPACE, OURSELVES, type RunAs, whyNot } from '../../run-as.ts'

/**
 * The user that creates a cluster and its roles. initdb refuses root, and a user without an account, such as the one of
 * an installation (`service/startup/new-user.ts`). So as root it is the account that owns the folder already, else one
 * without running processes; or a user namespace, in which we are `nobody`. `folder` belongs to it meanwhile;
 * `chooseRunAs` changes the owner afterwards.
 */
export async function asSetupUser(
  engine: EngineProgram,
  folder: string,
  work: (runAs: RunAs) => Promise<void>,
): Promise<void> {
  const accounts = await accountIds()
  const we = process.geteuid?.() ?? 0
  if (we !== 0) return await work(accounts.has(we) ? OURSELVES : IN_USER_NAMESPACE)
  const data = path.dirname(folder)
  const before = await lstat(data)
  const { uid, gid } = await lstat(folder)
  const owner =
    uid !== 0 && accounts.has(uid) ? { name: `user ${uid}`, prefix: [], uid, gid } : await idleAccount(accounts)
  const failures: string[] = []
  for (const runAs of [owner, IN_USER_NAMESPACE]) {
    try {
      await handOver(folder, { uid: runAs.uid ?? 0, gid: runAs.gid ?? 0 })
      // It must be able to reach its folder: as another user, or as root in a namespace.
      if (runAs.uid === undefined) await chown(data, 0, 0)
      else await chmod(data, 0o711)
      const failure = await whyNot(runAs, engine, folder)
      if (failure === null) return await work(runAs)
      failures.push(`as ${runAs.name}: ${failure}`)
    } finally {
      await chown(data, before.uid, before.gid)
      await chmod(data, 0o700)
    }
  }
  throw new Error(
    `PostgreSQL cannot be set up by root, and no other way worked here (${failures.join('; ')}). Start Footfall as an ordinary user, ` +
      `move the checkout and the data folder where other users can enter, or set ${engine.elsewhere}.`,
  )
}

async function accountIds(): Promise<Map<number, number>> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  return new Map(
    lines.filter((line) => line.length > 3).map(([, , uid, gid]) => [Number(uid) >>> 0, Number(gid) >>> 0]),
  )
}

/** `nobody` first. A process that runs under the account would have rights over the cluster while it is created. */
async function idleAccount(accounts: ReadonlyMap<number, number>): Promise<RunAs> {
  const busy = new Set<number>()
  for (const name of await readdir('/proc').catch(() => []))
    if (/^\d+$/.test(name))
      busy.add(
        await lstat(`/proc/${name}`).then(
          ({ uid }) => uid,
          () => 0,
        ),
      )
  const uid = [65_534, ...accounts.keys()].find((id) => id !== 0 && accounts.has(id) && !busy.has(id)) ?? 65_534
  return { name: `user ${uid}`, prefix: [], uid, gid: accounts.get(uid) ?? uid }
}
