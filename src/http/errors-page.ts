import { ERRORS } from './errors.ts'

/** docs/ERRORS.md, from the one table of errors. `npm run docs` writes it. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, type, detail]]) => `| ${status} | \`${type}\` | \`${code}\` | ${detail} |`,
  )
  return `# Errors

Every error has one shape, whatever went wrong:

\`\`\`json
{ "type": "validation_error", "code": "required", "detail": "This field is required.", "attr": "properties" }
\`\`\`

\`type\` says whose turn it is, \`code\` is for programs, \`detail\` for people (often more exact than the words below), and \`attr\` names the
field: steps of a path joined by \`__\`, or null when no field is to blame. One error is reported at a time. 429 and 503 carry
\`Retry-After\` when the time is known, 401 carries \`WWW-Authenticate\`, and 405 carries \`Allow\` with the methods
there are. DELETE of a playlist answers 405 without a body.

| status | type | code | detail, unless something more exact is known |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/http/errors.ts\` by \`npm run docs\`; a test holds them together.
`
}
