import { BlockList, isIP } from 'node:net'

/** Whether the address is one of these, or in one of these networks. An empty list allows every address. */
export function isAllowedFrom(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const family = isIP(bare)
  if (family === 0) return false
  const list = new BlockList()
  for (const entry of allowed) {
    const [network = '', bits] = entry.split('/')
    const kind = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(network, kind)
    else list.addSubnet(network, Number(bits), kind)
  }
  return list.check(bare, family === 6 ? 'ipv6' : 'ipv4')
}
