import { describe, expect, it } from 'vitest'
import { propertiesStep } from './properties.ts'
import { pipelineEvent } from './testing/events.ts'

const processed = (fields: Record<string, unknown>) => {
  const event = pipelineEvent(fields)
  propertiesStep(event)
  return event
}

describe('the properties step', () => {
  it('adds the address of the client unless it sent one', () => {
    expect(processed({ ip: '10.1.2.3' }).properties).toEqual({ $ip: '10.1.2.3' })
    expect(processed({ ip: '10.1.2.3', properties: { $ip: '1.1.1.1' } }).properties).toEqual({ $ip: '1.1.1.1' })
  })

  it('says 127.0.0.1 for events of our own making', () => {
    expect(processed({ ip: '10.1.2.3', properties: { capture_internal: true } }).properties.$ip).toBe('127.0.0.1')
  })

  it('keeps no address of a visitor without cookies', () => {
    expect(processed({ ip: '10.1.2.3', properties: { $cookieless_mode: true } }).properties).toEqual({
      $cookieless_mode: true,
    })
  })

  it('keeps when the client said it sent the event', () => {
    expect(processed({ sentAt: '2026-01-02T03:04:05+01:00' }).properties.$sent_at).toBe('2026-01-02T02:04:05.000Z')
    expect(processed({ sentAt: Date.UTC(2026, 0, 2) }).properties.$sent_at).toBe('2026-01-02T00:00:00.000Z')
    expect(processed({ sentAt: 'yesterday' }).properties.$sent_at).toBeUndefined()
    expect(processed({ sentAt: Date.UTC(2026, 0, 2), properties: { $sent_at: 'x' } }).properties.$sent_at).toBe('x')
  })

  it('keeps no address in a project that wants none', () => {
    expect(
      processed({ ip: '10.1.2.3', properties: { $ip: '1.1.1.1' }, project: { anonymizeIps: true } }).properties,
    ).toEqual({})
  })

  it('lower-cases a session id that is a uuid, and only such', () => {
    expect(processed({ properties: { $session_id: '018F1E55-0000-7000-8000-ABCDEF012345' } }).sessionId).toBe(
      '018f1e55-0000-7000-8000-abcdef012345',
    )
    expect(processed({ properties: { $session_id: 'My-Session' } }).sessionId).toBe('My-Session')
  })

  it('moves the elements chain to its own column', () => {
    const event = processed({ properties: { $elements_chain: 'a:href="/"', kept: 1 } })
    expect(event.elementsChain).toBe('a:href="/"')
    expect(event.properties).toEqual({ kept: 1 })
  })

  it('builds the chain from the older array of elements', () => {
    const elements = [
      { tag_name: 'button', $el_text: 'Say "hi"', attr__class: 'btn big', nth_child: 2 },
      { tag_name: 'body' },
    ]
    expect(processed({ properties: { $elements: elements } }).elementsChain).toBe(
      'button.big.btn:attr__class="btn big"nth-child="2"text="Say \\"hi\\"";body:',
    )
  })
})
