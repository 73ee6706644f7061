import { describe, expect, it } from 'vitest'
import { worthTelling } from './worth-telling.ts'

const found = (event: string, success_count = 20, failure_count = 10) => ({
  event: { event },
  success_count,
  failure_count,
})
const told = (findings: ReturnType<typeof found>[], properties = true) =>
  worthTelling(findings, properties).map(({ event }) => event.event)

describe('what made the difference', () => {
  it('is told once, not as URL and path, nor for the first browser again', () => {
    expect(
      told([
        found('$pathname::/pricing'),
        found('$current_url::https://a.example/pricing'),
        found('$initial_browser::Firefox'),
        found('$browser::Firefox'),
        found('$browser::Chrome'),
        found('plan::free'),
      ]),
    ).toEqual(['$pathname::/pricing', '$initial_browser::Firefox', '$browser::Chrome', 'plan::free'])
  })

  it('is not told of a handful of people', () => {
    expect(told([found('rare', 3, 1), found('enough', 3, 2)], false)).toEqual(['enough'])
  })
})
