/**
 * The engine runs in our process like a local program, for which reading and writing files is normal: FROM INFILE, INTO
 * OUTFILE and the function file() are not covered by its grants (engine-users.ts). No statement of ours needs them, and
 * values and names are parameters: so these words are refused anywhere in a statement, also in literals and comments.
 */
const GAP = '(?:\\s|/\\*[\\s\\S]*?\\*/|--[^\\n]*\\n|#[^\\n]*\\n)*'
const FILES = new RegExp(`\\b(?:INFILE|OUTFILE)\\b|\\bfile[\`"]?${GAP}\\(`, 'i')
/** A quoted name may be written with escapes, which hide its letters. */
const ESCAPED_FUNCTION = new RegExp(`(?:\`[^\`\\\\]*\\\\[^\`]*\`|"[^"\\\\]*\\\\[^"]*")${GAP}\\(`)

export function refuseMachineAccess(statement: string): void {
  if (FILES.test(statement) || ESCAPED_FUNCTION.test(statement))
    throw new Error(
      'Code: 497. DB::Exception: Not enough privileges: statements work on tables, not on files (ACCESS_DENIED)',
    )
}
