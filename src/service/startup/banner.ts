import type { FirstStartSecrets } from '../../accounts/index.ts'
import type { Config } from './config.ts'

/** The only thing on stdout. Secrets are shown at the first start and never again. */
export function banner({ public_url: url, data, roles }: Config, secrets: FirstStartSecrets | null): string {
  const lines = ['', `  Footfall is ready at ${url}`, `  data in ${data}, roles: ${roles.join(', ')}`, '']
  if (!secrets) return lines.join('\n')
  return [
    ...lines,
    '  First start: keep these, they are shown only once.',
    '',
    `  Your user                      ${secrets.email}`,
    `  Sign in (once, within a day)   ${url}/sign-in?token=${secrets.signInToken}`,
    `  Project API key                ${secrets.projectToken}`,
    `  Personal API key (all scopes)  ${secrets.personalKey}`,
    '',
    '  Send a first event:',
    '',
    `    curl ${url}/i/v0/e/ -H 'Content-Type: application/json' \\`,
    `      -d '{"api_key":"${secrets.projectToken}","event":"hello","distinct_id":"me"}'`,
    '',
    '  and see it counted:',
    '',
    `    curl '${url}/api/environments/1/insights/trend/?events=%5B%7B%22id%22%3A%22hello%22%7D%5D' \\`,
    `      -H 'Authorization: Bearer ${secrets.personalKey}'`,
    '',
  ].join('\n')
}
