/** All limits of capture. docs/COMPATIBILITY.md lists them for users. */
const KIB = 1024
const MIB = 1024 * KIB

export const LIMITS = {
  /** Request bodies on the wire. */
  eventBodyBytes: 20 * MIB,
  recordingBodyBytes: 25 * MIB,
  v1BodyBytes: 10 * MIB,
  /** What a body may decompress to; decompression stops there. */
  decodedBytes: 100 * MIB,
  /** Objects and arrays, and values altogether, in one body. */
  containers: 4_000_000,
  values: 16_000_000,
  /** A refused body is read and discarded up to this many times its limit, so that the client sees the response. */
  drainFactor: 2,
  /** One event, as it is stored. */
  eventBytes: 1_000_000,
  eventNameCharacters: 200,
  distinctIdCharacters: 200,
  keyCharacters: 64,
  sessionIdCharacters: 70,
  /** Records of the log. A request that is larger becomes several, in order. */
  recordBytes: MIB,
  recordEvents: 1000,
  /** Warnings of one type that a request keeps; further ones are only counted. */
  warningSamples: 1000,
  /** Decoded bodies above this are parsed in a worker thread. About 3 ms of work on the event loop. */
  inlineBytes: 128 * KIB,
  /** The same for recordings, which are scanned and not parsed. */
  inlineUploadBytes: 512 * KIB,
  /** rrweb events in one upload that is scanned. */
  uploadItems: 200_000,
  /** A compressed body may decompress to this many times its size, and to `unpackedFreely` in any case. */
  unpackedTimes: 100,
  unpackedFreely: 16 * MIB,
  /** Bodies in memory at one time: of all requests, of one address, of one project. Beyond that, 503. */
  bodies: {
    totalBytes: 256 * MIB,
    reserveBytes: 32 * MIB,
    smallBytes: 64 * KIB,
    addressBytes: 128 * MIB,
    projectBytes: 128 * MIB,
    idleSeconds: 10,
    stalledSeconds: 2,
  },
  /** How long a worker thread may take for one body. */
  jobMs: 45_000,
  /** Large bodies waiting for a worker thread. Beyond that, 503. */
  queuedJobs: 64,
  /** The same of one address in the queue of one project. */
  queuedJobsOfOne: 32,
} as const
