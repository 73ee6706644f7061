import { expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

test('semicolons in comments, strings and quoted names do not end a statement', () => {
  const text = `
    -- first; not the end
    CREATE TABLE a (x String DEFAULT 'it\\'s; ''fine''', \`odd;name\` String); /* between; */
    INSERT INTO a VALUES (';', "--"); -- done
  `
  expect(splitStatements(text)).toEqual([
    "CREATE TABLE a (x String DEFAULT 'it\\'s; ''fine''', `odd;name` String)",
    `INSERT INTO a VALUES (';', "--")`,
  ])
})

test('a last statement needs no semicolon, and empty ones vanish', () => {
  expect(splitStatements('SELECT 1;;\n;SELECT 2')).toEqual(['SELECT 1', 'SELECT 2'])
  expect(splitStatements('-- nothing here\n')).toEqual([])
})
