import type { ErrorCode } from '../../http/errors.ts'
import type { Circumstances } from '../parse-capture.ts'
import type { TakingIn } from '../projects/project-directory.ts'
import type { Records } from '../stages/records.ts'

/** What the event loop and a body worker say to each other: open -> key -> project -> done, or refused at any point. */
export type ToWorker =
  | { readonly type: 'open'; readonly said: Circumstances; readonly blocks: readonly Uint8Array[] }
  | { readonly type: 'project'; readonly project: TakingIn | null }

export type FromWorker =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'done'; readonly records: Records }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly detail: string; readonly attr: string | null }
