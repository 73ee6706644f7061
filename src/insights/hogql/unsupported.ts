/** What people write that is not of the language, or not at this place, and what to write instead. */
const ORDER = 'Clauses stand in this order: SELECT, FROM, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, ORDER BY, LIMIT.'
const READS = 'Queries only read: they begin with SELECT or WITH.'
const TABLES = 'Ask for tables with SELECT * FROM information_schema.tables.'
const PATTERN = "Match a pattern with =~: event =~ '^sign'."

const WORDS: Readonly<Record<string, string>> = {
  WHERE: ORDER,
  PREWHERE: ORDER,
  GROUP: ORDER,
  HAVING: ORDER,
  QUALIFY: ORDER,
  ORDER: ORDER,
  LIMIT: ORDER,
  FROM: 'Is a comma or a bracket missing before it, or one too many?',
  INSERT: READS,
  UPDATE: READS,
  DELETE: READS,
  DROP: READS,
  ALTER: READS,
  CREATE: READS,
  TRUNCATE: READS,
  EXPLAIN: READS,
  SHOW: TABLES,
  DESCRIBE: TABLES,
  SETTINGS: 'Queries cannot change settings.',
  FORMAT: 'The format of an answer is not part of a query.',
  FINAL: 'FINAL is not needed: tables show the current rows only.',
  RECURSIVE: 'There is no recursion; numbers(n) counts from 0.',
  ROLLUP: 'Add totals with UNION ALL and a second SELECT.',
  CUBE: 'Add totals with UNION ALL and a second SELECT.',
  TOTALS: 'Add totals with UNION ALL and a second SELECT.',
  GROUPS: 'Frames are counted in ROWS or RANGE.',
  SETS: 'Put several groupings together with UNION ALL.',
  PIVOT: "Write a column for each value: countIf(event = 'a') AS a, countIf(event = 'b') AS b.",
  UNPIVOT: 'Make rows of columns with ARRAY JOIN [a, b] AS value.',
  WITHIN: 'Write quantile(0.5)(x) instead of percentile_cont(0.5) WITHIN GROUP (ORDER BY x).',
  VALUES: 'Write rows as SELECT 1 AS a UNION ALL SELECT 2.',
  TOP: 'Write LIMIT n at the end instead.',
  FETCH: 'Write LIMIT n instead.',
  REGEXP: PATTERN,
  RLIKE: PATTERN,
  SIMILAR: PATTERN,
  XOR: 'Write xor(a, b).',
  DIV: 'Write intDiv(a, b).',
  MOD: 'Write a % b.',
  AT: "Write toTimeZone(time, 'Europe/Berlin').",
}

/** For a word that stands where it cannot; '' when nothing is known about it. */
export const hintForWord = (word: string): string => {
  const upper = word.toUpperCase()
  return Object.hasOwn(WORDS, upper) ? ` ${WORDS[upper]}` : ''
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': 'Write AND.',
  '!': 'Write NOT, or != between two values.',
  '|': 'Write OR, or || to put texts together.',
  '@': "Quote names that are no plain words: properties['a@b'].",
  '#': 'Comments begin with --.',
  '\\': 'A backslash stands inside quotes only.',
  '“': "Texts stand in straight quotes: 'text'.",
  '”': "Texts stand in straight quotes: 'text'.",
  '‘': "Texts stand in straight quotes: 'text'.",
  '’': "Texts stand in straight quotes: 'text'.",
}

/** For a character that begins nothing. */
export const hintForSign = (sign: string): string => (Object.hasOwn(SIGNS, sign) ? ` ${SIGNS[sign]}` : '')
