/** Playback settings are remembered from one recording to the next. */
export interface Taste {
  speed: string
  skip: boolean
}

export const SPEEDS: readonly string[] = ['1', '2', '4', '8']

const REMEMBERED = 'footfall.player'

function tasteOf(): Taste {
  try {
    const { speed = '1', skip = true } = JSON.parse(localStorage.getItem(REMEMBERED) ?? '{}') as Partial<Taste>
    return { speed, skip }
  } catch {
    return { speed: '1', skip: true }
  }
}

/** A speed that an address names counts for whoever opens it, once. */
export const tasteWith = (speed: string | undefined): Taste =>
  speed !== undefined && SPEEDS.includes(speed) ? { ...tasteOf(), speed } : tasteOf()

export const rememberTaste = (taste: Taste): void => localStorage.setItem(REMEMBERED, JSON.stringify(taste))
