import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'
const listeners = new Set<() => void>()
const current = (): Theme => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light')

/** The theme that is shown; public/theme.js chose it before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, current)
  return [theme, setTheme]
}

function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  localStorage.setItem('footfall.theme', theme)
  for (const listener of listeners) listener()
}
