import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { IconButton } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { PLACES } from './places.ts'
import './rail.css'

const KEY = 'footfall.rail'

/** As the user left it; by default wide where there is room. */
const startsNarrow = (): boolean =>
  (localStorage.getItem(KEY) ?? (window.innerWidth < 1100 ? 'narrow' : '')) === 'narrow'

export function Rail({ projectId }: { projectId: string }) {
  const [narrow, setNarrow] = useState(startsNarrow)
  const [more, setMore] = useState(false)
  const part = useLocation({ select: ({ pathname }) => pathname.split('/')[3] ?? '' })
  const fold = () => {
    localStorage.setItem(KEY, narrow ? 'wide' : 'narrow')
    setNarrow(!narrow)
  }
  return (
    <nav className={`rail ${narrow ? 'rail-narrow' : ''} ${more ? 'rail-open' : ''}`} aria-label="Main">
      <Link to="/project/$projectId" params={{ projectId }} className="rail-brand" aria-label="Footfall, home">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <span className="rail-text">Footfall</span>
      </Link>
      <ul className="rail-list">
        {PLACES.map(({ to, label, icon, main, parts }) => (
          <li key={to} className={main ? '' : 'rail-extra'}>
            <Link
              to={to}
              params={{ projectId }}
              className={`rail-link ${parts?.includes(part) ? 'active' : ''}`}
              title={narrow ? label : undefined}
              activeOptions={{ exact: to === '/project/$projectId', includeSearch: false }}
              onClick={() => setMore(false)}
            >
              <Icon name={icon} size={19} />
              <span className="rail-text">{label}</span>
            </Link>
          </li>
        ))}
        <li className="rail-more">
          <button type="button" className="rail-link" aria-expanded={more} onClick={() => setMore(!more)}>
            <Icon name="more" size={19} />
            <span className="rail-text">More</span>
          </button>
        </li>
      </ul>
      <div className="rail-foot">
        <IconButton label={narrow ? 'Expand menu' : 'Collapse menu'} icon="fold" className="rail-fold" onClick={fold} />
      </div>
    </nav>
  )
}
