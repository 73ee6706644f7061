import { isObject, type JsonObject } from '../../lib/json.ts'

/** The numbers in rrweb events, as far as a summary needs them. */
export const TYPE = { full: 2, incremental: 3, meta: 4, custom: 5, plugin: 6 } as const
export const SOURCE = {
  mutation: 0,
  mouseMove: 1,
  mouseInteraction: 2,
  scroll: 3,
  viewportResize: 4,
  input: 5,
  touchMove: 6,
  media: 7,
  styleSheetRule: 8,
  drag: 12,
} as const
const INTERACTION = { click: 2, contextMenu: 3, touchEnd: 9 } as const

const BY_THE_USER: ReadonlySet<unknown> = new Set([
  SOURCE.mouseMove,
  SOURCE.mouseInteraction,
  SOURCE.scroll,
  SOURCE.viewportResize,
  SOURCE.input,
  SOURCE.touchMove,
  SOURCE.media,
  SOURCE.drag,
])
const OF_THE_MOUSE: ReadonlySet<unknown> = new Set([SOURCE.mouseMove, SOURCE.mouseInteraction, SOURCE.touchMove])

type ConsoleLevel = 'log' | 'warn' | 'error'

const sourceOf = (event: JsonObject): unknown =>
  event.type === TYPE.incremental && isObject(event.data) ? event.data.source : undefined

export const isFullSnapshot = (event: JsonObject): boolean => event.type === TYPE.full
export const isActivity = (event: JsonObject): boolean => BY_THE_USER.has(sourceOf(event))
export const isMouseActivity = (event: JsonObject): boolean => OF_THE_MOUSE.has(sourceOf(event))
export const isKeypress = (event: JsonObject): boolean => sourceOf(event) === SOURCE.input

/** The end of a touch is a click in mobile apps; in a browser a click event follows it. */
export function isClick(event: JsonObject, snapshotSource: string): boolean {
  if (sourceOf(event) !== SOURCE.mouseInteraction) return false
  const { type } = event.data as JsonObject
  return (
    type === INTERACTION.click ||
    type === INTERACTION.contextMenu ||
    (type === INTERACTION.touchEnd && snapshotSource === 'mobile')
  )
}

/** The URL of the page, if the event has it. */
export function urlOf({ type, data }: JsonObject): string | undefined {
  if (!isObject(data)) return undefined
  const told = type === TYPE.meta ? data : type === TYPE.custom && isObject(data.payload) ? data.payload : undefined
  return typeof told?.href === 'string' && told.href !== '' ? told.href : undefined
}

const LEVELS: ReadonlyMap<unknown, ConsoleLevel> = new Map([
  ['warn', 'warn'],
  ['error', 'error'],
  ['assert', 'error'],
])
const LONGEST_MESSAGE = 2_000
export const CONSOLE_PLUGIN = 'rrweb/console@1'

/** A line of the browser's console. */
export function consoleLineOf(event: JsonObject): { level: ConsoleLevel; message: string } | undefined {
  if (event.type !== TYPE.plugin || !isObject(event.data) || event.data.plugin !== CONSOLE_PLUGIN) return undefined
  const { payload } = event.data
  if (!isObject(payload)) return undefined
  const parts = Array.isArray(payload.payload) ? payload.payload : []
  const message = parts.map((part) => (typeof part === 'string' ? unquoted(part) : JSON.stringify(part))).join(' ')
  return { level: LEVELS.get(payload.level) ?? 'log', message: message.slice(0, LONGEST_MESSAGE) }
}

/** rrweb sends each argument as JSON text. */
const unquoted = (part: string): string => (/^".*"$/s.test(part) ? part.slice(1, -1) : part)
