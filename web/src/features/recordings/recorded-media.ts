/**
 * Whether recordings load pictures, fonts, styles and videos from the sites they were recorded on. Those sites would
 * see who watches, so it is off until somebody asks for it. The server decides by the address a page is loaded at
 * (src/web/headers.ts), and its decision holds until the page is loaded again.
 */
const ASKED = 'recorded_media'

/** The address this document was loaded at, whatever the router has made of it since. */
const [loaded] = performance.getEntriesByType('navigation')
export const loadsRecordedMedia = new URL(loaded?.name ?? location.href).searchParams.get(ASKED) === 'on'

export function setRecordedMedia(on: boolean): void {
  const address = new URL(location.href)
  if (on) address.searchParams.set(ASKED, 'on')
  else address.searchParams.delete(ASKED)
  location.replace(address)
}
