const SUFFIXED =
  /^(\/api\/(?:environments|projects)\/[^/?]+\/(?:persons|insights)(?:\/[^?]*)?)\.(csv|json)\/?(?:\?(.*))?$/s

/** `persons.csv` means `persons/?format=csv`, for the two resources that have formats. */
export function formatFromSuffix(url: string): string {
  const parts = SUFFIXED.exec(url)
  if (!parts) return url
  const [, path, format, query] = parts
  return `${path}/?${query ? `${query}&` : ''}format=${format}`
}
