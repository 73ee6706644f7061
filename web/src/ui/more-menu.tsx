import { Fragment } from 'react'
import { IconButton } from './controls.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Menu, MenuItem, MenuLine, MenuLink } from './menu.tsx'

interface MoreItem {
  readonly icon: IconName
  readonly label: string
  /** What it does, or the address of a file to keep. */
  readonly does: (() => void) | { readonly download: string }
  /** Cannot be undone: stands apart, in red. */
  readonly danger?: boolean
}

/** What else can be done with the thing a page shows. */
export function MoreMenu({ items }: { items: readonly MoreItem[] }) {
  return (
    <Menu
      label="More"
      align="right"
      width={220}
      trigger={(props) => <IconButton label="More" icon="more" {...props} />}
    >
      {items.map(({ icon, label, does, danger = false }) => (
        <Fragment key={label}>
          {danger && <MenuLine />}
          {typeof does === 'function' ? (
            <MenuItem danger={danger} onClick={does}>
              <Icon name={icon} size={16} /> {label}
            </MenuItem>
          ) : (
            <MenuLink link={<a href={does.download} download />}>
              <Icon name={icon} size={16} /> {label}
            </MenuLink>
          )}
        </Fragment>
      ))}
    </Menu>
  )
}
