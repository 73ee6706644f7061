import type { ClickHouse } from '../engines/clickhouse/index.ts'
import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import {
  type CopiedRows,
  changeAndCopy,
  importGroups,
  importGroupTypes,
  importPersonProperties,
  importPersons,
} from '../identity/index.ts'
import type { Logger } from '../lib/logger.ts'
import { GROUP, GROUP_TYPE, type IdentityBatch, PERSON, PERSON_PROPERTIES } from './lines.ts'

/** Stores the persons and groups of an export. Repeating it changes nothing. */
export async function storeIdentities(
  context: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly log: Logger },
  batch: IdentityBatch,
): Promise<number> {
  return changeAndCopy(context, async (tx) => {
    const rows = await store(tx, batch)
    return { result: batch.lines.length, rows }
  })
}

async function store(tx: TransactionSql, { project, kind, lines }: IdentityBatch): Promise<CopiedRows> {
  switch (kind) {
    case 'group_type':
      await importGroupTypes(tx, project, GROUP_TYPE.array().parse(lines))
      return {}
    case 'person':
      return { ...(await importPersons(tx, project, PERSON.array().parse(lines))) }
    case 'group':
      return { groups: await importGroups(tx, project, GROUP.array().parse(lines)) }
    case 'person_properties':
      return { persons: await importPersonProperties(tx, project, PERSON_PROPERTIES.array().parse(lines)) }
  }
}
