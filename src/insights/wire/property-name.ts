/** The key behind a path of a props column. */
export const propertyNameOf = (path: string): string =>
  path === '%'
    ? ''
    : path.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
