import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole services and browsers take longest: started last, one of them would keep one core busy while the other has nothing left. */
const LONG = ['/test/crash/', '/test/cluster/', '/test/browser/', '/test/backup/', '/test/service/', '/test/']

const rank = ({ project, moduleId }: TestSpecification): number => {
  // The fast ones share a process, which lasts as long as they follow each other.
  if (project.name === 'fast') return LONG.length + 1
  const found = LONG.findIndex((folder) => moduleId.includes(folder))
  return found === -1 ? LONG.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
