/** Conditions and terms of the slow evaluator as SQL, in every spelling there is. */
import type { Condition, Term, Value } from './slow-sql.ts'

/** Which of several spellings is written; the same number gives the same text. */
export type Spelling = number

/** Every way to write an operator: between its sides, or as a call. */
export const SPELLINGS: Readonly<Record<string, { readonly between: readonly string[]; readonly call?: string }>> = {
  '=': { between: ['=', '==', 'IS NOT DISTINCT FROM'], call: 'equals' },
  '!=': { between: ['!=', '<>', 'IS DISTINCT FROM'], call: 'notEquals' },
  '<': { between: ['<'], call: 'less' },
  '<=': { between: ['<='], call: 'lessOrEquals' },
  '>': { between: ['>'], call: 'greater' },
  '>=': { between: ['>='], call: 'greaterOrEquals' },
  LIKE: { between: ['LIKE'], call: 'like' },
  'NOT LIKE': { between: ['NOT LIKE'], call: 'notLike' },
  ILIKE: { between: ['ILIKE'], call: 'ilike' },
  'NOT ILIKE': { between: ['NOT ILIKE'], call: 'notILike' },
  '=~': { between: ['=~', '~'] },
  '!~': { between: ['!~'] },
  '=~*': { between: ['=~*', '~*'] },
  '!~*': { between: ['!~*'] },
}

const one = <T>(items: readonly T[], spelling: Spelling): T => items[spelling % items.length] as T

const written = (value: Value): string =>
  typeof value === 'string' ? `'${value}'` : value === null ? 'NULL' : String(value)

export function termText(term: Term, spelling: Spelling): string {
  const text = (of: Term) => termText(of, spelling)
  switch (term.kind) {
    case 'constant':
      return written(term.value)
    case 'property':
      return one([`properties.${term.key}`, `properties['${term.key}']`], spelling)
    case 'arithmetic':
      return `(${text(term.left)} ${term.operator} ${text(term.right)})`
    case 'minus':
      return `(- ${text(term.of)})`
    case 'or else': {
      const [left, right] = [text(term.left), text(term.right)]
      return one([`(${left} ?? ${right})`, `ifNull(${left}, ${right})`, `coalesce(${left}, ${right})`], spelling)
    }
    case 'choice': {
      const [by, yes, no] = [sqlOf(term.by, spelling), text(term.yes), text(term.no)]
      const forms = [
        `(${by} ? ${yes} : ${no})`,
        `if(${by}, ${yes}, ${no})`,
        `case when ${by} then ${yes} else ${no} end`,
      ]
      return one(forms, spelling)
    }
  }
}

export function sqlOf(condition: Condition, spelling: Spelling): string {
  const term = (of: Term) => termText(of, spelling)
  switch (condition.kind) {
    case 'compare': {
      const { between, call } = SPELLINGS[condition.operator] ?? { between: [condition.operator] }
      const [left, right] = [term(condition.left), term(condition.right)]
      const forms = between.map((operator) => `(${left} ${operator} ${right})`)
      return one(call ? [...forms, `${call}(${left}, ${right})`] : forms, spelling)
    }
    case 'in': {
      const items = condition.items.map(written).join(', ')
      const [not, name] = condition.not ? ['not ', 'notIn'] : ['', 'in']
      const left = term(condition.left)
      const list = condition.items.length === 1 ? `[${items}]` : `(${items})`
      return one(
        [
          `(${left} ${not}in (${items}))`,
          `(${left} global ${not}in (${items}))`,
          `${name}(${left}, ${list})`,
          `(${left} ${not}in [${items}])`,
        ],
        spelling,
      )
    }
    case 'between':
      return `(${term(condition.of)} ${condition.not ? 'not ' : ''}between ${condition.low} and ${condition.high})`
    case 'is null': {
      const of = term(condition.of)
      const [words, call] = condition.not ? ['is not null', 'isNotNull'] : ['is null', 'isNull']
      return one([`(${of} ${words})`, `${call}(${of})`], spelling)
    }
    case 'not':
      return one([`(not ${sqlOf(condition.of, spelling)})`, `not(${sqlOf(condition.of, spelling)})`], spelling)
    default: {
      const [left, right] = [sqlOf(condition.left, spelling), sqlOf(condition.right, spelling)]
      return one([`(${left} ${condition.kind} ${right})`, `${condition.kind}(${left}, ${right})`], spelling)
    }
  }
}
