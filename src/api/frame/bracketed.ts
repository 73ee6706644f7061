/**
 * Query strings know no lists, so clients write them in their own ways: `ids=1&ids=2`, `ids[]=1`, `ids[0]=1`, and
 * objects as `properties[0][key]=email`. All of them become the list or object they mean; parameters without brackets
 * stay as they are.
 */
import { ApiError } from '../../http/errors.ts'

type Fields = Readonly<Record<string, unknown>>

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/
const MOST_STEPS = 10
const MOST_FIELDS = 2_000

export function unbracketed(query: Fields): Fields {
  const names = Object.keys(query)
  refuseTooManyFields(names.length)
  if (!names.some((name) => name.includes('['))) return query
  const plain = new Set(names.filter((name) => !BRACKETED.test(name)))
  const tree = new Map<string, Node>()
  for (const name of names) {
    const [, root, brackets] = BRACKETED.exec(name) ?? []
    if (root === undefined || brackets === undefined) continue
    const steps = [...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step).slice(0, MOST_STEPS)
    put(tree, [root, ...steps], query[name])
  }
  const read = [...tree].map(([name, node]) => [name, valueIn(node)] as const)
  // What is written both ways is one list.
  const both = read.map(([name, value]) =>
    plain.has(name) ? ([name, [query[name], value].flat()] as const) : ([name, value] as const),
  )
  return { ...Object.fromEntries([...plain].map((name) => [name, query[name]])), ...Object.fromEntries(both) }
}

/** Of a query string or a form. */
export function refuseTooManyFields(count: number): void {
  if (count <= MOST_FIELDS) return
  throw Object.assign(
    new ApiError(
      'invalid_input',
      `The request has ${count} fields; the limit is ${MOST_FIELDS}: send lists and objects as JSON in one field, or a JSON body.`,
    ),
    { statusCode: 400 },
  )
}

type Node = { readonly values: unknown[] } | Map<string, Node>

function put(tree: Map<string, Node>, [step = '', ...rest]: readonly string[], value: unknown): void {
  const found = tree.get(step)
  if (rest.length === 0) {
    const values = [value].flat()
    if (found === undefined || found instanceof Map) tree.set(step, { values })
    else found.values.push(...values)
    return
  }
  const below = found instanceof Map ? found : new Map<string, Node>()
  tree.set(step, below)
  put(below, rest, value)
}

/** Empty brackets and numbers make a list, names an object. */
function valueIn(node: Node): unknown {
  if (!(node instanceof Map)) return node.values.length === 1 ? node.values[0] : node.values
  const entries = [...node]
  if (!entries.every(([step]) => /^\d*$/.test(step)))
    return Object.fromEntries(entries.map(([step, below]) => [step, valueIn(below)]))
  return entries
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .flatMap(([step, below]) => (step === '' && !(below instanceof Map) ? below.values : [valueIn(below)]))
}
