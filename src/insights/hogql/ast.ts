/** A query as a tree. Nothing in it has a meaning yet: names are resolved by compile.ts. */
export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'word'; readonly value: 'NULL' | 'true' | 'false' }
  | { readonly kind: 'name'; readonly chain: readonly string[] }
  | { readonly kind: 'star'; readonly table: string | null }
  | Call
  | { readonly kind: 'operator'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not' | 'minus'; readonly of: Expression }
  | { readonly kind: 'in'; readonly not: boolean; readonly left: Expression; readonly right: Expression }
  /** By its id or its name. */
  | { readonly kind: 'in cohort'; readonly not: boolean; readonly left: Expression; readonly cohort: string }
  | {
      readonly kind: 'between'
      readonly not: boolean
      readonly of: Expression
      readonly low: Expression
      readonly high: Expression
    }
  | { readonly kind: 'is null'; readonly not: boolean; readonly of: Expression }
  | { readonly kind: 'interval'; readonly count: Expression; readonly unit: string }
  | { readonly kind: 'tuple' | 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'index'; readonly of: Expression; readonly at: Expression }
  | { readonly kind: 'lambda'; readonly names: readonly string[]; readonly body: Expression }
  | { readonly kind: 'placeholder'; readonly path: readonly string[] }
  | { readonly kind: 'query'; readonly query: Query }

export interface Call {
  readonly kind: 'call'
  readonly name: string
  /** Of a parametric aggregate: quantile(0.9)(x). */
  readonly parameters: readonly Expression[] | null
  readonly distinct: boolean
  readonly args: readonly Expression[]
  readonly over: { readonly partition: readonly Expression[]; readonly order: readonly Order[] } | null
}

export interface Order {
  readonly of: Expression
  readonly direction: '' | ' ASC' | ' DESC'
  readonly nulls: '' | ' NULLS FIRST' | ' NULLS LAST'
}

export interface Item {
  readonly of: Expression
  readonly alias: string | null
  /** As written, for the name of the column. */
  readonly text: string
}

export interface Table {
  readonly of:
    | { readonly kind: 'table'; readonly name: string }
    | { readonly kind: 'query'; readonly query: Query }
    /** The whole numbers from `from`, so many of them. */
    | { readonly kind: 'numbers'; readonly from: number; readonly count: number }
  readonly alias: string | null
  /** The share of persons whose events are read. */
  readonly sample?: number | undefined
}

export interface Join {
  readonly type: string
  readonly table: Table
  readonly on: Expression | null
  readonly using: readonly string[] | null
}

export interface Select {
  readonly kind: 'select'
  readonly tables: ReadonlyMap<string, Query>
  readonly values: ReadonlyMap<string, Expression>
  readonly distinct: boolean
  readonly items: readonly Item[]
  readonly from: Table | null
  readonly joins: readonly Join[]
  readonly arrayJoins: readonly Item[]
  readonly where: Expression | null
  readonly groupBy: readonly Expression[]
  readonly having: Expression | null
  readonly orderBy: readonly Order[]
  readonly limitBy: { readonly count: number; readonly by: readonly Expression[] } | null
  readonly limit: number | null
  readonly offset: number | null
}

interface Union {
  readonly kind: 'union'
  readonly first: Query
  readonly rest: readonly { readonly operator: string; readonly query: Query }[]
}

export type Query = Select | Union
