/** Playback settings are remembered from one recording to the next. */
export interface Taste {
  speed: string
  skip: boolean
}

const REMEMBERED = 'footfall.player'

export function tasteOf(): Taste {
  try {
    const { speed = '1', skip = true } = JSON.parse(localStorage.getItem(REMEMBERED) ?? '{}') as Partial<Taste>
    return { speed, skip }
  } catch {
    return { speed: '1', skip: true }
  }
}

export const rememberTaste = (taste: Taste): void => localStorage.setItem(REMEMBERED, JSON.stringify(taste))
