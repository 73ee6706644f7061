/** The licence of DB-IP's files (CC BY 4.0) asks for a link where its data are shown. */
export const Attribution = ({ to }: { to: string | null | undefined }) =>
  to === 'dbip' ? (
    <a href="https://db-ip.com" rel="noreferrer">
      IP Geolocation by DB-IP
    </a>
  ) : null
