import type { Query } from '../../contract/queries/index.ts'
import type { WebAnswers } from '../../contract/results/index.ts'
import { ApiError } from '../../http/errors.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { PublicCall } from '../frame/context.ts'
import { fromEngines } from '../frame/from-engines.ts'
import { readNode } from '../query/read-node.ts'
import type { answerWeb } from '../query/web.ts'

type Asking = Pick<PublicCall, 'log' | 'signal'>
type Answer = Awaited<ReturnType<typeof answerWeb>>

type Answered = { answer: WebAnswers[keyof WebAnswers] } | { status: number; error: ReturnType<ApiError['body']> }

/**
 * Each question has its own answer: one that cannot be answered leaves the others as they are. `open` is told all of
 * them and says how to answer one.
 */
export async function answerWebPage(
  call: Asking,
  nodes: readonly unknown[],
  open: (queries: readonly Query[]) => (query: Query) => Promise<Answer>,
): Promise<Answered[]> {
  const read = nodes.map((node) => attempt(() => readNode(node, null)))
  const answer = open(read.flatMap((each) => ('value' in each ? [each.value] : [])))
  return Promise.all(read.map((each) => answered(call, each, answer)))
}

type Attempt<T> = { readonly value: T } | { readonly failure: unknown }

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { value: work() }
  } catch (failure) {
    return { failure }
  }
}

async function answered(
  call: Asking,
  read: Attempt<Query>,
  answer: (query: Query) => Promise<Answer>,
): Promise<Answered> {
  try {
    if ('failure' in read) throw read.failure
    const found = await answer(read.value)
    if (found === undefined) throw new InvalidQuery('Only queries of web analytics are answered here.', ['kind'])
    return { answer: found as WebAnswers[keyof WebAnswers] }
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
