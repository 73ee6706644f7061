import { useState } from 'react'
import type { FeatureFlag } from '../../api/contract.ts'
import { useProject } from '../../api/project.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { rulesOf } from './document.ts'
import { flagSnippets } from './snippets.ts'

export function FlagCode({ flag }: { flag: FeatureFlag }) {
  const project = useProject()
  const [language, setLanguage] = useState('browser')
  const { variants, payloads } = rulesOf(flag.filters)
  const all = flagSnippets({
    host: window.location.origin,
    token: project.api_token,
    key: flag.key,
    variant: variants.at(-1)?.key ?? null,
    hasPayload: Object.keys(payloads).length > 0,
  })
  const shown = all.find(({ id }) => id === language) ?? all[0]
  return (
    <div className="stack" style={{ gap: 16 }}>
      <Tabs
        label="Language"
        value={language}
        onChange={setLanguage}
        tabs={all.map(({ id, label }) => ({ value: id, label }))}
      />
      {shown && <CodeBlock label={`${flag.key} in ${shown.label}`} code={shown.code} />}
    </div>
  )
}
