/** What other kinds may use of funnels: correlation compares who came through one, paths look around its steps. */
export { stepEventsOf } from './actors-statement.ts'
export { bestTries } from './best.ts'
export { timeOfStep } from './columns.ts'
export { funnelActor, funnelConditions, stepConditions } from './conditions.ts'
export { type FunnelPlan, planFunnel } from './plan.ts'
export { eventNames } from './same-step.ts'
export { triesStatement } from './tries.ts'
export { never, windowEnd } from './window.ts'
