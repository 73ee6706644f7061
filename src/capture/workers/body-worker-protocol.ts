import type { ErrorCode } from '../../http/errors.ts'
import type { RequestMeta } from '../parse-capture.ts'
import type { CaptureSettings } from '../projects/project-directory.ts'
import type { Records } from '../stages/records.ts'

/** Messages between the event loop and a body worker: open -> key -> project -> done, or refused at any point. */
export type ToWorker =
  | { readonly type: 'open'; readonly meta: RequestMeta; readonly blocks: readonly Uint8Array[] }
  | { readonly type: 'project'; readonly project: CaptureSettings | null }

export type FromWorker =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'done'; readonly records: Records }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly detail: string; readonly attr: string | null }
