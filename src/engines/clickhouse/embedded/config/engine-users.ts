/**
 * What statements may do in the engine: work on tables. Nothing else is granted (files, addresses, programs, other
 * databases), so that an injected statement could not read our files. Rows are inserted by FROM INFILE, which no grant
 * covers; hence `machine-access.ts`.
 */
const GRANTED = [
  ...['SELECT', 'INSERT', 'ALTER', 'TRUNCATE', 'OPTIMIZE', 'CHECK', 'KILL QUERY', 'SHOW', 'DROP'],
  ...['CREATE DATABASE', 'CREATE TABLE', 'CREATE VIEW', 'SYSTEM MERGES'],
]

/** The engine's users file, with one user. */
export const engineUsers = (): string => `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <no_password></no_password>
      <networks><ip>::1</ip><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT ${GRANTED.join(', ')} ON *.*</query>
      </grants>
    </default>
  </users>
</clickhouse>
`
