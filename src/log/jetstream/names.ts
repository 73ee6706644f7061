/** Names in JetStream: a stream for each partition, and one for records that do not fit into a message. */
const PREFIX = 'footfall'

/** Whether a stream is one of ours. */
export const isOfLog = (stream: string): boolean => stream.startsWith(`${PREFIX}-`)

export const streamOf = (partition: string): string => `${PREFIX}-${partition}`
export const subjectOf = (partition: string): string => `${PREFIX}.log.${partition}`

export const LARGE_STREAM = `${PREFIX}-large`
export const LARGE_SUBJECTS = `${PREFIX}.large.>`
export const largeSubject = (partition: string, id: string): string => `${PREFIX}.large.${partition}.${id}`
