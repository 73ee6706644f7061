const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** A user agent in words: "Firefox on Linux". An unknown one stays as it is. */
export function browserName(userAgent: string): string {
  const named = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser === undefined) return userAgent.slice(0, 60) || 'Unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
