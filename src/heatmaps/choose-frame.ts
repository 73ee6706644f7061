/** Which moment of which recording shows a page: near the wanted width, soon after a full snapshot. */
import type { HeatmapFrame } from '../contract/resources/heatmap.ts'

/** What a window of a recording says of itself at a time. */
export interface Mark {
  readonly session_id: string
  readonly window_id: string
  /** ms since epoch. */
  readonly at: number
  /** rrweb's number of the event: 2 is a full snapshot, 4 and 5 name the page. */
  readonly type: number
  readonly href: string
  readonly width: number
  readonly height: number
}

/** So long after it came up a page has loaded what it shows. */
const SETTLED_MS = 5_000
/** A longer replay is taken only when there is no other. */
const LONG_REPLAY_MS = 5 * 60_000

/** `marks` are in order of time within each window. */
export function chooseFrame(
  marks: readonly Mark[],
  wanted: { readonly url: string; readonly width: number },
): HeatmapFrame | null {
  let best: HeatmapFrame | null = null
  for (const frame of framesOf(marks, wanted.url))
    if (best === null || rank(frame, wanted.width) < rank(best, wanted.width)) best = frame
  return best
}

/** What follows ? or # makes no other page. */
export const pageOf = (url: string): string => url.replace(/[?#].*$/s, '')

const rank = ({ width, start, end }: HeatmapFrame, wanted: number): number =>
  Math.abs(width - wanted) + (end - start > LONG_REPLAY_MS ? 10_000 : (end - start) / LONG_REPLAY_MS)

interface Window {
  /** The page and its size, since the last event that named them. */
  page: Mark | null
  width: number
  height: number
  /** The start of the last full snapshot: the event that names its page comes just before. */
  snapshotAt: number | null
  shown: { readonly from: number } | null
}

function* framesOf(marks: readonly Mark[], url: string): Generator<HeatmapFrame> {
  const page = pageOf(url)
  const windows = new Map<string, Window>()
  const last = new Map<string, Mark>()
  for (const mark of marks) {
    const key = `${mark.session_id} ${mark.window_id}`
    const window = windows.get(key) ?? { page: null, width: 0, height: 0, snapshotAt: null, shown: null }
    windows.set(key, window)
    last.set(key, mark)
    if (mark.type === 2) {
      const named = window.page
      window.snapshotAt = named !== null && named.type === 4 && mark.at - named.at < 1_000 ? named.at : mark.at
      if (named !== null && pageOf(named.href) === page) window.shown = { from: mark.at }
      continue
    }
    const before = frameOf(window, mark.at - 1)
    if (before !== null && pageOf(mark.href) !== page) yield before
    if (mark.width > 0) [window.width, window.height] = [mark.width, mark.height]
    window.page = mark
    window.shown =
      pageOf(mark.href) !== page
        ? null
        : mark.type === 4 || window.snapshotAt === null
          ? window.shown
          : (window.shown ?? { from: mark.at })
  }
  for (const window of windows.values()) {
    const frame = frameOf(window, Number.POSITIVE_INFINITY)
    if (frame !== null) yield frame
  }
}

function frameOf({ page, width, height, snapshotAt, shown }: Window, until: number): HeatmapFrame | null {
  if (page === null || shown === null || snapshotAt === null || width === 0) return null
  const end = Math.max(shown.from + 1, Math.min(shown.from + SETTLED_MS, until))
  const { session_id, window_id, href: url } = page
  return { session_id, window_id, url, width, height, start: snapshotAt, end }
}
