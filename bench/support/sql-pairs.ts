/** SQL as people write it, and the statement over the events table that an engineer would write for it. */
interface SqlPair {
  readonly name: string
  readonly sql: string
  readonly byHand: string
}

const LIMIT = 'LIMIT 101'

export const SQL_PAIRS: readonly SqlPair[] = [
  {
    name: 'events by name',
    sql: 'select event, count() as n from events group by event order by n desc',
    byHand: `SELECT event, count() AS n FROM events WHERE project_id = 1 GROUP BY event ORDER BY n DESC ${LIMIT}`,
  },
  {
    name: 'persons by day, 30 days',
    sql: `select toStartOfDay(timestamp) as day, uniq(person_id) from events where timestamp > now() - interval 30 day
      group by day order by day`,
    byHand: `SELECT toStartOfDay(timestamp) AS day, uniq(person_id) FROM events
      WHERE project_id = 1 AND timestamp > now() - INTERVAL 30 DAY GROUP BY day ORDER BY day ${LIMIT}`,
  },
  {
    name: 'a property equals',
    sql: "select count() from events where properties.plan = 'pro'",
    byHand: "SELECT count() FROM events WHERE project_id = 1 AND props.plan.:String = 'pro'",
  },
  {
    name: 'a property differs',
    sql: "select count() from events where properties.plan != 'pro'",
    byHand: "SELECT count() FROM events WHERE project_id = 1 AND ifNull(props.plan.:String != 'pro', 1)",
  },
  {
    name: 'countIf of a property',
    sql: "select countIf(properties.plan != 'pro'), countIf(properties.country in ('country-1', 'country-2')) from events",
    byHand: `SELECT countIf(ifNull(props.plan.:String != 'pro', 1)),
      countIf(props.country.:String IN ('country-1', 'country-2')) FROM events WHERE project_id = 1`,
  },
  {
    name: 'sum of a number',
    sql: 'select properties.country as country, sum(toFloat(properties.amount)) as total from events group by country order by total desc',
    byHand: `SELECT props.country.:String AS country, sum(toFloat64OrNull(props.amount.:String)) AS total FROM events
      WHERE project_id = 1 GROUP BY country ORDER BY total DESC ${LIMIT}`,
  },
  {
    name: 'a pattern',
    sql: "select count() from events where properties.$current_url ~ 'products/1.$'",
    byHand: "SELECT count() FROM events WHERE project_id = 1 AND match(props.$current_url.:String, 'products/1.$')",
  },
  {
    name: 'the event before, in a day',
    sql: `select before, count() as n from (select lag(event) over (partition by distinct_id order by timestamp) as before
      from events where timestamp > now() - interval 1 day) group by before order by n desc`,
    byHand: `SELECT before, count() AS n FROM (SELECT lagInFrame(toNullable(event)) OVER (PARTITION BY distinct_id ORDER BY timestamp) AS before
      FROM events WHERE project_id = 1 AND timestamp > now() - INTERVAL 1 DAY) GROUP BY before ORDER BY n DESC ${LIMIT}`,
  },
]
