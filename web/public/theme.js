// Before the first paint, so that a dark page never flashes white. A file of its own: the content security policy allows no inline scripts.
;(() => {
  const chosen = localStorage.getItem('footfall.theme')
  const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
