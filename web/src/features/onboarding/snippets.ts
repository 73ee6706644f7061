export interface Snippet {
  id: 'html' | 'browser' | 'node' | 'python' | 'curl'
  label: string
  /** Where it goes. */
  where?: string
  install?: string
  code: string
}

/** With the real key and host: to be pasted as they are. */
export function snippets(host: string, key: string): Snippet[] {
  return [
    {
      id: 'html',
      label: 'Web page',
      where: 'Paste this into the <head> of every page. Nothing has to be installed.',
      code: `<script src="${host}/array/${key}/array.js"></script>
<script>
  posthog.init('${key}', { api_host: '${host}' })
</script>`,
    },
    {
      id: 'browser',
      label: 'npm',
      where: 'For an app that is built: React, Vue, Svelte and others.',
      install: 'npm install posthog-js',
      code: `import posthog from 'posthog-js'

posthog.init('${key}', { api_host: '${host}' })

// Page views are captured automatically. For anything else:
posthog.capture('signed up', { plan: 'free' })

// When you know who it is:
posthog.identify('user-42', { email: 'ada@example.com' })`,
    },
    {
      id: 'node',
      label: 'Node',
      install: 'npm install posthog-node',
      code: `import { PostHog } from 'posthog-node'

const footfall = new PostHog('${key}', { host: '${host}' })

footfall.capture({ distinctId: 'user-42', event: 'signed up', properties: { plan: 'free' } })
await footfall.shutdown()`,
    },
    {
      id: 'python',
      label: 'Python',
      install: 'pip install posthog',
      code: `from posthog import Posthog

footfall = Posthog('${key}', host='${host}')

footfall.capture('signed up', distinct_id='user-42', properties={'plan': 'free'})
footfall.shutdown()`,
    },
    {
      id: 'curl',
      label: 'curl',
      code: `curl ${host}/i/v0/e/ -H 'Content-Type: application/json' -d '{
  "api_key": "${key}",
  "event": "signed up",
  "distinct_id": "user-42",
  "properties": { "plan": "free" }
}'`,
    },
  ]
}
