import { type Fragment, sql } from '../../engines/clickhouse-sql.ts'

/** What can be read of the elements that were clicked: the chain itself is in `elements_chain`. */
export const ELEMENT_FIELDS: Readonly<Record<string, Fragment>> = {
  elements_chain_href: sql`extract(e.elements_chain, '[:"]href="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"')`,
  elements_chain_texts: sql`arrayDistinct(extractAll(e.elements_chain, '[:"]text="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"'))`,
  elements_chain_ids: sql`arrayDistinct(extractAll(e.elements_chain, '[:"]attr_id="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"'))`,
  elements_chain_elements: sql`arrayDistinct(extractAll(e.elements_chain, '(?:^|;)(a|button|form|input|select|textarea|label)(?:[.:]|$)'))`,
}
