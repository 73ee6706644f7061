/** An event of about 600 bytes. It has no uuid of its own: the same bodies are sent again and again, and would be known. */
export function sampleEvent(turn: number): Record<string, unknown> {
  return {
    event: ['$pageview', 'signed up', 'clicked', 'paid'][turn % 4],
    distinct_id: `visitor-${turn % 5_000}`,
    timestamp: new Date().toISOString(),
    properties: {
      $current_url: `https://example.com/products/${turn % 300}?utm_source=newsletter&utm_campaign=spring`,
      $browser: ['Chrome', 'Firefox', 'Safari'][turn % 3],
      $os: ['Linux', 'Mac OS X', 'Windows'][turn % 3],
      $session_id: `018f1e55-aaaa-7000-8000-${String(turn % 20_000).padStart(12, '0')}`,
      plan: ['free', 'pro', 'team'][turn % 3],
      amount: (turn * 37) % 1000,
      note: 'x'.repeat(280),
    },
  }
}
