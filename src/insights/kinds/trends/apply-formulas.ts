/** Formulas over the series of a query: bucket by bucket, for each breakdown value and each period. */

import { groupBy } from '../../../lib/group-by.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import { type Expression, evaluate, lettersIn, parseFormula } from './formula.ts'
import type { Period, TrendsPlan } from './plan.ts'
import type { TrendSeries } from './result.ts'
import { weightOf } from './weight.ts'

interface FormulaText {
  readonly formula: string
  readonly custom_name?: string | undefined
}

/** The formulas of a query; the newer forms win over the older. */
function formulasOf(plan: Pick<TrendsPlan, 'query'>): readonly FormulaText[] {
  const { formulaNodes, formulas, formula } = plan.query.trendsFilter ?? {}
  if (formulaNodes?.length) return formulaNodes
  if (formulas?.length) return formulas.filter((text) => text.trim() !== '').map((text) => ({ formula: text }))
  return formula === undefined || formula.trim() === '' ? [] : [{ formula }]
}

export function applyFormulas(plan: TrendsPlan, series: readonly TrendSeries[]): readonly TrendSeries[] {
  const formulas = formulasOf(plan)
  if (formulas.length === 0 || plan.series.length === 0) return series
  const parsed = formulas.map((text) => ({ text, expression: checked(text.formula, plan) }))
  return parsed.flatMap(({ text, expression }) =>
    plan.periods.flatMap((period) => ofPeriod(plan, text, expression, period, series)),
  )
}

function checked(formula: string, plan: TrendsPlan): Expression {
  const expression = parseFormula(formula)
  const known = plan.query.series.length
  for (const index of lettersIn(expression)) {
    if (index >= known) {
      throw new InvalidQuery(`The formula "${formula}" names a series that the query does not have.`, [
        'trendsFilter',
        'formula',
      ])
    }
  }
  return expression
}

function ofPeriod(
  plan: TrendsPlan,
  text: FormulaText,
  expression: Expression,
  period: Period,
  all: readonly TrendSeries[],
): TrendSeries[] {
  const inputs = all.filter((series) => series.period.label === period.label)
  const byLabels = groupBy(inputs, (series) => JSON.stringify(series.labels ?? null))
  const results = [...byLabels.values()].map((parts): TrendSeries => {
    const of = new Map(parts.map((part) => [part.index, part]))
    return {
      index: undefined,
      node: undefined,
      formula: text,
      period,
      labels: parts[0]?.labels,
      data: plan.totalValue
        ? []
        : period.range.buckets.map((_, bucket) => evaluate(expression, (index) => of.get(index)?.data[bucket] ?? 0)),
      aggregated: plan.totalValue ? evaluate(expression, (index) => of.get(index)?.aggregated ?? 0) : undefined,
    }
  })
  return plan.breakdown === undefined ? results : results.toSorted((a, b) => weightOf(b) - weightOf(a))
}
