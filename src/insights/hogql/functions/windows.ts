import { functionsOf } from './row.ts'

export const WINDOWS = functionsOf('windows', [
  ['row_number', '', 'row_number() over (order by n)', [1, 2, 3, 4, 5], { nulls: 'never' }],
  ['rank', '', 'rank() over (order by intDiv(n, 2))', [1, 1, 3, 3, 5], { nulls: 'never' }],
  ['dense_rank', '', 'dense_rank() over (order by intDiv(n, 2))', [1, 1, 2, 2, 3], { nulls: 'never' }],
  ['percent_rank', '', 'percent_rank() over (order by n)', [0, 0.25, 0.5, 0.75, 1], { nulls: 'never' }],
  ['cume_dist', '', 'cume_dist() over (order by n)', [0.2, 0.4, 0.6, 0.8, 1], { nulls: 'never' }],
  ['ntile', 'count', 'ntile(2) over (order by n)', [1, 1, 1, 2, 2], { nulls: 'never' }],
  ['nth_value', 'value, place', 'nth_value(n, 2) over (order by n)', [null, 1, 1, 1, 1], { nulls: 'always' }],
  ['lag', 'value[, by, otherwise]', 'lag(n, 1, 9) over (order by n)', [9, 0, 1, 2, 3], { nulls: 'always' }],
  ['lead', 'value[, by, otherwise]', 'lead(n, 1, 9) over (order by n)', [1, 2, 3, 4, 9], { nulls: 'always' }],
  [
    'lagInFrame',
    'value[, by, otherwise]',
    'lagInFrame(n, 1, 9) over (order by n)',
    [9, 0, 1, 2, 3],
    { nulls: 'always' },
  ],
  [
    'leadInFrame',
    'value[, by, otherwise]',
    'leadInFrame(n, 0, 9) over (order by n)',
    [0, 1, 2, 3, 4],
    { nulls: 'always' },
  ],
])
