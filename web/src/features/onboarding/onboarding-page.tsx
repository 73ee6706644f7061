import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { EventRecord } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { events, project as projectQuery } from '../../api/queries.ts'
import { dateTime } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { CodeBlock, CopyButton } from '../../ui/code.tsx'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { sayFailure } from '../../ui/toast.tsx'
import { DemoData } from './demo-data.tsx'
import { type Snippet, snippets } from './snippets.ts'
import './onboarding-page.css'
import '../../ui/dot.css'

/** The first minutes: what to paste, and a dot that waits for the first event. */
export function OnboardingPage() {
  const project = useProject()
  const [tab, setTab] = useState<Snippet['id']>('html')
  const all = snippets(window.location.origin, project.api_token)
  const shown = all.find(({ id }) => id === tab) as Snippet
  return (
    <Page title="Send your first event" sub="Use any PostHog SDK with your own host and key.">
      <div className="onboarding">
        <section className="onboarding-how stack">
          <Tabs
            label="How to send events"
            value={tab}
            onChange={setTab}
            tabs={all.map(({ id, label }) => ({ value: id, label }))}
          />
          <div className="stack" role="tabpanel" aria-label={shown.label}>
            {shown.where && <p className="small soft">{shown.where}</p>}
            {shown.install && <CodeBlock label="Install" code={shown.install} wrap />}
            <CodeBlock label={`Send events from ${shown.label}`} code={shown.code} wrap />
          </div>
          <dl className="onboarding-facts">
            <Fact name="Project API key" value={project.api_token} />
            <Fact name="Host" value={window.location.origin} />
          </dl>
        </section>
        <Waiting />
      </div>
    </Page>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="row">
      <dt className="soft small">{name}</dt>
      <dd className="row grow">
        <span className="mono truncate grow">{value}</span>
        <CopyButton text={value} />
      </dd>
    </div>
  )
}

function Waiting() {
  const project = useProject()
  const params = useProjectParams()
  const client = useQueryClient()
  const { data } = useQuery({
    ...events(project.id, { limit: 1 }),
    refetchInterval: (query) => (query.state.data?.results.length ? false : 1_000),
  })
  const first = data?.results[0]
  const arrived = first !== undefined

  useEffect(() => {
    if (arrived && !project.ingested_event)
      void client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey })
  }, [arrived, client, project])

  return (
    <section className="waiting" aria-live="polite">
      {first ? <Arrived event={first} zone={project.timezone} /> : <Not />}
      <TestEvent />
      {/* Before the project knows of it, the overview would lead back here. */}
      {arrived && project.ingested_event && (
        <Link to="/project/$projectId" params={params} className="button button-primary">
          Go to the overview <Icon name="arrow" size={16} />
        </Link>
      )}
      <DemoData />
    </section>
  )
}

function Not() {
  return (
    <div className="waiting-state">
      <span className="dot dot-waiting" />
      <div>
        <p className="strong">Waiting for the first event</p>
        <p className="small soft">This page shows it as soon as it arrives.</p>
      </div>
    </div>
  )
}

function Arrived({ event, zone }: { event: EventRecord; zone: string }) {
  return (
    <div className="waiting-state waiting-done">
      <Icon name="check" size={20} />
      <div className="grow">
        <p className="strong">Received: {eventName(event.event)}</p>
        <p className="small soft truncate">
          from {event.distinct_id}, {dateTime(event.timestamp, zone)}
        </p>
      </div>
    </div>
  )
}

function TestEvent() {
  const project = useProject()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      const answer = await fetch('/i/v0/e/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          api_key: project.api_token,
          event: 'test event',
          distinct_id: 'footfall-test',
          properties: { sent_from: 'the onboarding page', $current_url: window.location.href },
        }),
      })
      if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
      await client.invalidateQueries({ queryKey: ['events'] })
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <Button icon="live" onClick={send} busy={busy}>
      Send a test event
    </Button>
  )
}
