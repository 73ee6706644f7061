import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'
const CHOSEN = 'footfall.theme'
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
  localStorage.setItem(CHOSEN, theme)
  show(theme)
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

// Without a choice, the system's theme applies, also when it changes.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  if (!localStorage.getItem(CHOSEN)) show(matches ? 'dark' : 'light')
})
