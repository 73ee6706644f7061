/** Files of cities are mostly DB-IP's, whose licence asks for a link where its data are shown. */
export const Attribution = () => (
  <>
    Cities and regions: <a href="https://db-ip.com">IP Geolocation by DB-IP</a> or the file this service uses
  </>
)
