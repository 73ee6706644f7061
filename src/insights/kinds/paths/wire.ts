import type { PathsResult as PathsOnWire } from '../../../contract/results/index.ts'
import type { PathsResult } from './run.ts'

export const pathsOnWire = ({ edges }: PathsResult): PathsOnWire =>
  edges.map(({ source, target, value, average }) => ({ source, target, value, average_conversion_time: average }))
