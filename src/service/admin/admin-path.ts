import path from 'node:path'
import { socketDirectory } from '../../engines/socket-directory.ts'

/** `<data>/footfall.sock`, or a short private path when that one is too long for a socket. */
export const adminSocketPath = async (data: string): Promise<string> =>
  path.join(await socketDirectory(data, 'footfall.sock'), 'footfall.sock')
