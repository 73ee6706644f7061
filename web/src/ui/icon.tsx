/** Line icons on a 20 px grid, drawn for this app. Decoration only: the words beside or the label on the button carry the meaning. */
const PATHS = {
  home: 'M3.5 9 10 3.5 16.5 9v7.5h-4.5v-4.5h-4v4.5H3.5z',
  insights: 'M3 16.5h14M5 13.5v-4M10 13.5v-8M15 13.5v-6',
  trends: 'M3 14l4.5-5 3.5 3 6-7',
  dashboards: 'M3.5 3.5h5.5v6H3.5zM11.5 3.5h5v3.5h-5zM11.5 9.5h5v7h-5zM3.5 12h5.5v4.5H3.5z',
  persons: 'M10 10a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 10 10zM3.8 16.6c.7-3 3.2-4.4 6.2-4.4s5.500 1.400 6.200 4.400',
  groups: 'M3.500 16.500v-9.500l6.500-3.500v13M10 8.500l6.500 2v6M3.500 16.500h13.500M6.300 9.500h1M6.300 12.500h1',
  recordings: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8.500 7.500v5l4-2.500z',
  playlists: 'M3.500 5.500h13M3.500 10h7.500M3.500 14.500h7.500M13.500 10.500v5l4-2.500z',
  live: 'M2.500 10h3.500l2-5 3.500 10 2.500-5h3.500',
  sql: 'M6.500 5.500 2.500 10l4 4.500M13.500 5.500l4 4.500-4 4.500M11.500 4l-3 12',
  settings:
    'M10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M4.700 15.300l1.400-1.400M13.900 6.100l1.400-1.400',
  definitions: 'M4 4.500h12M4 8.200h12M4 11.900h8M4 15.500h5',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4',
  sun: 'M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100',
  moon: 'M16.500 11.800A6.800 6.800 0 0 1 8.200 3.500a6.800 6.800 0 1 0 8.300 8.300z',
  close: 'M5 5l10 10M15 5 5 15',
  down: 'M5.500 8 10 12.500 14.500 8',
  right: 'M8 5.500 12.500 10 8 14.500',
  left: 'M12 5.500 7.500 10l4.500 4.500',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.7 10.500h7.600L14.500 6M8.500 9v4.500M11.500 9v4.500',
  copy: 'M7.500 7.500h9v9h-9zM12.500 7.500v-4h-9v9h4',
  check: 'M4 10.500l4 4 8-9',
  star: 'M10 3l2.100 4.500 4.900.6-3.600 3.400.9 4.900L10 14l-4.300 2.400.9-4.900L3 8.100l4.900-.6z',
  download: 'M10 3.500v9M6 9l4 4 4-4M3.500 16.500h13',
  filter: 'M3 5h14l-5.500 6.500v4l-3 1.500v-5.500z',
  calendar: 'M3.500 5h13v11.500h-13zM3.500 8.500h13M7 3v3.500M13 3v3.500',
  fold: 'M12.500 5.500 8 10l4.500 4.500M4.500 4v12',
  tag: 'M3.500 3.500h6l7 7-6 6-7-7zM7 7h.01',
  alert: 'M10 3 2.500 16.500h15zM10 8v4M10 14.200v.1',
  arrow: 'M4 10h12M11 5l5 5-5 5',
  more: 'M4.500 10h.01M10 10h.01M15.500 10h.01',
  funnel: 'M3.500 4.500v11M8 7v8.500M12.500 10v5.500M17 12.500v3',
  retention: 'M3.500 4h3v3h-3zM8.500 4h3v3h-3zM13.500 4h3v3h-3zM3.500 9h3v3h-3zM8.500 9h3v3h-3zM3.500 14h3v3h-3z',
  paths: 'M3 5c6 0 8 10 14 10M3 15c6 0 8-10 14-10',
  lifecycle: 'M15.500 8A6 6 0 0 0 4.800 7M4.500 12a6 6 0 0 0 10.700 1M15.500 4v4h-4M4.500 16v-4h4',
  stickiness: 'M3.500 16.500h13M5.500 16.500V5M9 16.500V8M12.500 16.500v-5.500M16 16.500v-3',
  drag: 'M7.500 5h.01M12.500 5h.01M7.500 10h.01M12.500 10h.01M7.500 15h.01M12.500 15h.01',
  refresh: 'M16 7.500A6.500 6.500 0 0 0 4 8M4 12.500a6.500 6.500 0 0 0 12-.5M16 3.500v4h-4M4 16.500v-4h4',
  link: 'M8.500 11.500l3-3M9 6l1.500-1.500a3.500 3.500 0 0 1 5 5L14 11M11 14l-1.500 1.500a3.500 3.500 0 0 1-5-5L6 9',
  key: 'M7 13a3.500 3.500 0 1 1 3.300-4.700H17v3h-2v2h-2.500v-2h-2.200A3.500 3.500 0 0 1 7 13zM6.500 9.500h.01',
  signout: 'M12 4H4.500v12H12M9 10h8M14 7l3 3-3 3',
  edit: 'M4 16l.8-3.500L13 4.300l2.700 2.700-8.200 8.200z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      className={`icon ${className}`}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' || name === 'drag' ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
