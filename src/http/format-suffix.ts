const SUFFIXED =
  /^(\/api\/(?:environments|projects)\/[^/?]+\/(?:persons|insights)(?:\/[^?]*)?)\.(csv|json)\/?(?:\?(.*))?$/s

/** `persons.csv` is `persons/?format=csv`: the two resources that have formats may be asked either way. */
export function formatFromSuffix(url: string): string {
  const parts = SUFFIXED.exec(url)
  if (!parts) return url
  const [, path, format, query] = parts
  return `${path}/?${query ? `${query}&` : ''}format=${format}`
}
