import { endOfValue, numberAt, startsObject, walkObject } from '../../lib/json-spans.ts'

/** The position of a member of an object. */
export interface Member {
  readonly name: string
  /** Where its name begins, and its value. */
  readonly keyAt: number
  readonly at: number
  readonly end: number
}

/** One rrweb event in an upload: its type and time, and the positions of its parts. */
export interface SentEvent {
  readonly type: number
  readonly timestamp: number
  readonly at: number
  readonly end: number
  readonly members: readonly Member[]
  readonly data: Member | undefined
  /** The members of `data`, when that is an object. */
  readonly dataMembers: readonly Member[] | undefined
  /** The version of its compression, as JSON text; undefined when it is not compressed. */
  readonly packing: string | undefined
}

const LARGEST_TIME = 8.64e15

/** Scans the event at `at` in one pass. The event is undefined when the value is none. */
export function readSent(bytes: Buffer, at: number): { readonly event: SentEvent | undefined; readonly end: number } {
  if (!startsObject(bytes, at)) return { event: undefined, end: endOfValue(bytes, at) }
  const members: Member[] = []
  let type: number | undefined
  let timestamp: number | undefined
  let packing: string | undefined
  let data: Member | undefined
  let dataMembers: Member[] | undefined
  const end = walkObject(bytes, at, (name, from, keyAt) => {
    const inside: Member[] | undefined = name === 'data' && startsObject(bytes, from) ? [] : undefined
    const to = inside ? membersOf(bytes, from, inside) : endOfValue(bytes, from)
    const member = { name, keyAt, at: from, end: to }
    members.push(member)
    if (name === 'type') type = numberAt(bytes, from, to)
    else if (name === 'timestamp') timestamp = numberAt(bytes, from, to)
    else if (name === 'cv') packing = bytes.toString('utf8', from, to)
    else if (name === 'data') {
      data = member
      dataMembers = inside
    }
    return to
  })
  if (type === undefined || timestamp === undefined || timestamp < 0 || timestamp > LARGEST_TIME)
    return { event: undefined, end }
  return { event: { type, timestamp, at, end, members, data, dataMembers, packing }, end }
}

function membersOf(bytes: Buffer, at: number, members: Member[]): number {
  return walkObject(bytes, at, (name, from, keyAt) => {
    const end = endOfValue(bytes, from)
    members.push({ name, keyAt, at: from, end })
    return end
  })
}

/** The member of that name, if it is a number. If a name occurs twice, the last one counts. */
export function numberOf(bytes: Buffer, members: readonly Member[], name: string): number | undefined {
  const member = members.findLast((each) => each.name === name)
  return member && numberAt(bytes, member.at, member.end)
}
