import type { WebAnswers } from '../../contract/results/index.ts'
import { ApiError } from '../../http/errors.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { ProjectCall, PublicCall } from '../frame/context.ts'
import { fromEngines } from '../frame/from-engines.ts'
import { readNode } from '../query/read-node.ts'
import { answerWeb } from '../query/web.ts'

type Asking = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'log'> & Pick<PublicCall, 'signal'>

type Answered = { answer: WebAnswers[keyof WebAnswers] } | { status: number; error: ReturnType<ApiError['body']> }

/** Every question by itself: one that cannot be answered leaves the others as they are. */
export const answerWebPage = (call: Asking, queries: readonly unknown[]): Promise<Answered[]> =>
  Promise.all(queries.map((node) => answered(call, node)))

async function answered(call: Asking, node: unknown): Promise<Answered> {
  try {
    const answer = await answerWeb(call, readNode(node, null), { signal: call.signal })
    if (answer === undefined) throw new InvalidQuery('Only queries of web analytics are answered here.', ['kind'])
    return { answer: answer as WebAnswers[keyof WebAnswers] }
  } catch (failure) {
    if (call.signal.aborted) throw failure
    const error = fromEngines(failure as Error)
    if (!(error instanceof ApiError)) {
      call.log.error({ err: error }, 'a part of web analytics could not be answered')
      return { status: 500, error: new ApiError('error').body() }
    }
    return { status: error.status, error: error.body() }
  }
}
