/** A query as a tree. Nothing in it has a meaning yet: names are resolved by compile.ts. */

/** Where in the text something stands; what was not read from a text stands nowhere. */
export interface Place {
  readonly line: number
  readonly column: number
}

export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'word'; readonly value: 'NULL' | 'true' | 'false' }
  | { readonly kind: 'name'; readonly chain: readonly string[]; readonly place?: Place | undefined }
  | Star
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
  /** x.1, x.-1: of a tuple, or of a list inside a property. */
  | { readonly kind: 'element'; readonly of: Expression; readonly at: number }
  /** list[from:to], both included. */
  | {
      readonly kind: 'slice'
      readonly of: Expression
      readonly from: Expression | null
      readonly to: Expression | null
    }
  /** (x AS y) inside an expression: y may be used elsewhere in the SELECT. */
  | { readonly kind: 'alias'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'lambda'; readonly names: readonly string[]; readonly body: Expression }
  | { readonly kind: 'placeholder'; readonly path: readonly string[] }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'exists'; readonly query: Query }

/** All columns of a table, or of all of them. */
export interface Star {
  readonly kind: 'star'
  readonly table: string | null
  /** * EXCEPT (a, b) */
  readonly except?: readonly string[] | undefined
  /** * REPLACE (x AS a) */
  readonly replace?: ReadonlyMap<string, Expression> | undefined
}

export interface Call {
  readonly kind: 'call'
  readonly name: string
  /** Of a parametric aggregate: quantile(0.9)(x). */
  readonly parameters: readonly Expression[] | null
  readonly distinct: boolean
  readonly args: readonly Expression[]
  /** The window, or the name of one that WINDOW defines. */
  readonly over: Window | string | null
  readonly place?: Place | undefined
}

export interface Window {
  /** Another window that this one extends. */
  readonly base: string | null
  readonly partition: readonly Expression[]
  readonly order: readonly Order[]
  /** ROWS BETWEEN ..., in keywords and whole numbers only. */
  readonly frame: string
}

export interface Order {
  readonly of: Expression
  readonly direction: '' | ' ASC' | ' DESC'
  readonly nulls: '' | ' NULLS FIRST' | ' NULLS LAST'
  /** WITH FILL: rows for the values in between that no row has. */
  readonly fill?: Fill | undefined
}

export interface Fill {
  readonly from: Expression | null
  readonly to: Expression | null
  readonly step: Expression | null
}

export interface Item {
  readonly of: Expression
  readonly alias: string | null
  /** As written, for the name of the column. */
  readonly text: string
}

export interface Table {
  readonly of:
    | { readonly kind: 'table'; readonly name: string; readonly place?: Place | undefined }
    | { readonly kind: 'query'; readonly query: Query }
    /** numbers(count) and numbers(first, count). */
    | { readonly kind: 'numbers'; readonly args: readonly Expression[] }
  readonly alias: string | null
  /** The share of persons whose events are read. */
  readonly sample?: Sample | undefined
}

/** Which share of all persons: `share` of them, from `offset` on. */
export interface Sample {
  readonly share: number
  readonly offset: number
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
  /** LEFT ARRAY JOIN keeps rows whose list is empty. */
  readonly keepsEmpty?: boolean | undefined
  readonly prewhere?: Expression | null | undefined
  readonly where: Expression | null
  readonly groupBy: readonly Expression[]
  /** GROUP BY ALL: by every column that no aggregate is in. */
  readonly groupsByAll?: boolean | undefined
  readonly having: Expression | null
  readonly windows?: ReadonlyMap<string, Window> | undefined
  readonly qualify?: Expression | null | undefined
  readonly orderBy: readonly Order[]
  readonly limitBy: LimitBy | null
  readonly limit: Expression | null
  readonly offset: Expression | null
  /** LIMIT n WITH TIES: also the rows that are equal to the last one. */
  readonly withTies?: boolean | undefined
  /** Of a part of a union: a further column says whether it has more rows than `rows`, which are all that is read. */
  readonly marksMore?: { readonly rows: number | null } | undefined
}

interface LimitBy {
  readonly count: Expression
  readonly offset: Expression | null
  readonly by: readonly Expression[]
}

interface Union {
  readonly kind: 'union'
  readonly first: Query
  readonly rest: readonly { readonly operator: string; readonly query: Query }[]
}

export type Query = Select | Union
