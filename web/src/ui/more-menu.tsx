import { Fragment } from 'react'
import { IconButton } from './controls.tsx'
import { Icon, type IconName } from './icon.tsx'
import { MenuItem, Popover } from './popover.tsx'

interface MoreItem {
  readonly icon: IconName
  readonly label: string
  /** What it does, or the address of a file to keep. */
  readonly does: (() => void) | { readonly download: string }
  /** Cannot be taken back: stands apart, in red. */
  readonly danger?: boolean
}

/** What else can be done with the thing a page shows. */
export function MoreMenu({ items }: { items: readonly MoreItem[] }) {
  return (
    <Popover
      label="More"
      align="right"
      width={220}
      trigger={(props) => <IconButton label="More" icon="more" {...props} />}
    >
      {(close) => (
        <div className="menu">
          {items.map(({ icon, label, does, danger = false }) => (
            <Fragment key={label}>
              {danger && <div className="menu-line" />}
              {typeof does === 'function' ? (
                <MenuItem
                  danger={danger}
                  onClick={() => {
                    close()
                    does()
                  }}
                >
                  <Icon name={icon} size={16} /> {label}
                </MenuItem>
              ) : (
                <a className="menu-item" href={does.download} download onClick={close}>
                  <Icon name={icon} size={16} /> {label}
                </a>
              )}
            </Fragment>
          ))}
        </div>
      )}
    </Popover>
  )
}
