/** Writes files in MaxMind's format: the few networks a test needs, all of IPv4. */
type Value = string | number | Value[] | { [key: string]: Value }

const RECORD_BITS = 24
const SEPARATOR = Buffer.alloc(16)
const METADATA = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

export function mmdb(networks: Record<string, Value>, madeAt = Date.now()): Buffer {
  const tree: (number | string | null)[][] = [[null, null]]
  for (const network of Object.keys(networks)) insert(tree, network)
  const data: Buffer[] = []
  const offsets = new Map<string, number>()
  let length = 0
  for (const [network, value] of Object.entries(networks)) {
    const bytes = encoded(value)
    offsets.set(network, length)
    data.push(bytes)
    length += bytes.length
  }
  const nodes = Buffer.concat(tree.map((node) => Buffer.concat(node.map((side) => record(side, tree.length, offsets)))))
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(madeAt / 1000),
    database_type: 'Test',
    description: { en: 'for tests' },
    ip_version: 4,
    languages: ['en'],
    node_count: tree.length,
    record_size: RECORD_BITS,
  })
  return Buffer.concat([nodes, SEPARATOR, ...data, METADATA, metadata])
}

function insert(tree: (number | string | null)[][], network: string): void {
  const [address = '', bits = '32'] = network.split('/')
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  let at = 0
  for (let depth = 0; depth < Number(bits); depth++) {
    const side = Math.floor(number / 2 ** (31 - depth)) % 2
    const node = tree[at] as (number | string | null)[]
    if (depth === Number(bits) - 1) node[side] = network
    else {
      if (typeof node[side] !== 'number') node[side] = tree.push([null, null]) - 1
      at = node[side] as number
    }
  }
}

function record(side: number | string | null, nodes: number, offsets: ReadonlyMap<string, number>): Buffer {
  const value =
    side === null ? nodes : typeof side === 'number' ? side : nodes + SEPARATOR.length + (offsets.get(side) ?? 0)
  const bytes = Buffer.alloc(RECORD_BITS / 8)
  bytes.writeUIntBE(value, 0, bytes.length)
  return bytes
}

const TYPE = { string: 2, double: 3, uint32: 6, map: 7, array: 11 } as const

function encoded(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([head(TYPE.string, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(TYPE.array, value.length), ...value.map(encoded)])
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return Buffer.concat([head(TYPE.map, entries.length), ...entries.flatMap(([key, v]) => [encoded(key), encoded(v)])])
  }
  const bytes = Buffer.alloc(Number.isInteger(value) ? 4 : 8)
  if (Number.isInteger(value)) bytes.writeUInt32BE(value)
  else bytes.writeDoubleBE(value)
  return Buffer.concat([head(Number.isInteger(value) ? TYPE.uint32 : TYPE.double, bytes.length), bytes])
}

/** Sizes up to 284; types above 7 have a byte of their own. */
function head(type: number, size: number): Buffer {
  const short = Math.min(size, 29)
  const bytes = type > 7 ? [short, type - 7] : [(type << 5) | short]
  return Buffer.from(size < 29 ? bytes : [...bytes, size - 29])
}
