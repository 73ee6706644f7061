interface FlagSnippet {
  id: string
  label: string
  code: string
}

interface Asked {
  host: string
  token: string
  key: string
  /** The key of a variant, when the flag has variants. */
  variant: string | null
  hasPayload: boolean
}

/** How the flag is asked for in each language, to be pasted as it is. */
export function flagSnippets({ host, token, key, variant, hasPayload }: Asked): FlagSnippet[] {
  const name = JSON.stringify(key)
  const is = (call: string, equals: string) =>
    variant === null ? call : `${call} ${equals} ${JSON.stringify(variant)}`
  const payload = (line: string) => (hasPayload ? `\n${line}` : '')
  return [
    {
      id: 'browser',
      label: 'Browser',
      code: `posthog.onFeatureFlags(() => {
  if (${is(variant === null ? `posthog.isFeatureEnabled(${name})` : `posthog.getFeatureFlag(${name})`, '===')}) {
    // what they get
  }
})${payload(`const payload = posthog.getFeatureFlagPayload(${name})`)}`,
    },
    {
      id: 'react',
      label: 'React',
      code: `import { useFeatureFlagVariantKey${hasPayload ? ', useFeatureFlagPayload' : ''} } from 'posthog-js/react'

const value = useFeatureFlagVariantKey(${name})${payload(`const payload = useFeatureFlagPayload(${name})`)}
return ${is('value', '===')} ? <New /> : <Old />`,
    },
    {
      id: 'node',
      label: 'Node',
      code: `const value = await footfall.getFeatureFlag(${name}, 'user-42')
if (${is('value', '===')}) {
  // what they get
}${payload(`const payload = await footfall.getFeatureFlagPayload(${name}, 'user-42', value)`)}`,
    },
    {
      id: 'python',
      label: 'Python',
      code: `value = footfall.get_feature_flag(${name}, 'user-42')
if ${is('value', '==')}:
    ...  # what they get${payload(`payload = footfall.get_feature_flag_payload(${name}, 'user-42')`)}`,
    },
    {
      id: 'go',
      label: 'Go',
      code: `value, err := client.GetFeatureFlag(posthog.FeatureFlagPayload{
    Key:        ${name},
    DistinctId: "user-42",
})
if err == nil && value == ${variant === null ? 'true' : JSON.stringify(variant)} {
    // what they get
}`,
    },
    {
      id: 'ruby',
      label: 'Ruby',
      code: `value = footfall.get_feature_flag(${name}, 'user-42')
if ${is('value', '==')}
  # what they get
end`,
    },
    {
      id: 'php',
      label: 'PHP',
      code: `$value = PostHog::getFeatureFlag(${name}, 'user-42');
if (${is('$value', '===')}) {
    // what they get
}`,
    },
    {
      id: 'ios',
      label: 'iOS',
      code:
        variant === null
          ? `if PostHogSDK.shared.isFeatureEnabled(${name}) {\n    // what they get\n}`
          : `if PostHogSDK.shared.getFeatureFlag(${name}) as? String == ${JSON.stringify(variant)} {\n    // what they get\n}`,
    },
    {
      id: 'android',
      label: 'Android',
      code:
        variant === null
          ? `if (PostHog.isFeatureEnabled(${name})) {\n    // what they get\n}`
          : `if (PostHog.getFeatureFlag(${name}) == ${JSON.stringify(variant)}) {\n    // what they get\n}`,
    },
    {
      id: 'curl',
      label: 'curl',
      code: `curl '${host}/flags/?v=2' -H 'Content-Type: application/json' -d '{
  "token": "${token}",
  "distinct_id": "user-42",
  "flag_keys": [${name}]
}'`,
    },
  ]
}
