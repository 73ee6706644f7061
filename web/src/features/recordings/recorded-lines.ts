import { asText } from '../../lib/as-text.ts'

/**
 * What the recorder's plugins wrote beside the picture: lines of the console, and requests. Times are in ms since the
 * beginning of the recording.
 */
export interface ConsoleLine {
  id: string
  at: number
  level: 'error' | 'warn' | 'info'
  text: string
  /** Where it was written, when that is known. */
  from: string
}

export interface RequestLine {
  id: string
  at: number
  method: string
  url: string
  /** Undefined when nothing was answered, or another site keeps it to itself. */
  status: number | undefined
  ms: number | undefined
  failed: boolean
}

export interface RecordedLines {
  console: readonly ConsoleLine[]
  requests: readonly RequestLine[]
}

export const NO_LINES: RecordedLines = { console: [], requests: [] }

const PLUGIN = 6
/** Beyond this many a list is no help, and slow to draw. */
const MOST_LINES = 2_000
const LONGEST_TEXT = 2_000

interface Recorded {
  type: number
  timestamp: number
  data?: unknown
}

type Fields = Record<string, unknown>

/** A recording is what a stranger's page sent: everything is looked at before it is used. */
export function linesOf(events: readonly Recorded[]): RecordedLines {
  const began = events[0]?.timestamp ?? 0
  const lines = { console: [] as ConsoleLine[], requests: [] as RequestLine[] }
  for (const { type, timestamp, data } of events) {
    if (type !== PLUGIN || !isFields(data) || !isFields(data.payload)) continue
    const plugin = asText(data.plugin)
    if (plugin.startsWith('rrweb/console@') && lines.console.length < MOST_LINES)
      lines.console.push(consoleLine(data.payload, timestamp - began, lines.console.length))
    if (plugin.startsWith('rrweb/network@'))
      for (const request of listOf(data.payload.requests)) {
        if (!isFields(request) || lines.requests.length >= MOST_LINES) continue
        lines.requests.push(requestLine(request, { began, sent: timestamp }, lines.requests.length))
      }
  }
  lines.requests.sort((a, b) => a.at - b.at)
  return lines
}

function consoleLine({ level, payload, trace }: Fields, at: number, place: number): ConsoleLine {
  const text = listOf(payload).map(unquoted).join(' ')
  return {
    id: `c${place}`,
    at,
    level: level === 'error' || level === 'assert' ? 'error' : level === 'warn' ? 'warn' : 'info',
    text: text.slice(0, LONGEST_TEXT),
    from: asText(listOf(trace)[0] ?? ''),
  }
}

/** The recorder writes each argument as JSON. */
function unquoted(argument: unknown): string {
  if (typeof argument !== 'string') return JSON.stringify(argument) ?? ''
  try {
    const said: unknown = JSON.parse(argument)
    return typeof said === 'string' ? said : argument
  } catch {
    return argument
  }
}

function requestLine(request: Fields, { began, sent }: { began: number; sent: number }, place: number): RequestLine {
  const status = numberOf(request.responseStatus) ?? numberOf(request.status)
  const start = numberOf(request.startTime)
  const origin = numberOf(request.timeOrigin)
  const end = numberOf(request.endTime) ?? numberOf(request.responseEnd)
  const at = numberOf(request.timestamp) ?? (origin !== undefined && start !== undefined ? origin + start : sent)
  return {
    id: `r${place}`,
    at: Math.max(0, at - began),
    method: asText(request.method ?? 'GET').toUpperCase(),
    url: asText(request.name ?? request.url ?? '').slice(0, LONGEST_TEXT),
    status: status === 0 ? undefined : status,
    ms: numberOf(request.duration) ?? (end !== undefined && start !== undefined ? end - start : undefined),
    failed: status !== undefined && (status === 0 || status >= 400),
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
