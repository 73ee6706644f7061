import { type KeyboardEvent, useRef, useState } from 'react'
import { number, plural } from '../../lib/format.ts'
import { dimmedWhile, ErrorState, Skeleton } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { pairOf } from './columns.ts'
import { CsvButton } from './csv-button.tsx'
import { hoursNode } from './nodes.ts'
import { atHour, peopleSource } from './people.ts'
import { useWebSource } from './source.tsx'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const two = (hour: number) => String(hour).padStart(2, '0')

/** Where an arrow leads from a cell, by days and hours. */
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}
const around = (value: number, length: number) => (value + length) % length

/**
 * When visitors come: visitors by weekday and hour. Each cell leads to them. One of them is in the order of the tab key,
 * arrows lead to the others.
 */
export function Hours() {
  const { state, zone, open } = useWebSource()
  const { data, error, isPlaceholderData, refetch } = usePart(hoursNode(state))
  const visitors = new Map((data?.results ?? []).map((row) => [String(row[0]), pairOf(row, 1)[0] ?? 0]))
  const at = (day: number, hour: number): number => visitors.get(`${day + 1} ${two(hour)}`) ?? 0
  const most = Math.max(1, ...visitors.values())
  const [[currentDay, currentHour], setCurrent] = useState<readonly [number, number]>([0, 0])
  const cells = useRef<HTMLTableSectionElement>(null)
  const step = (event: KeyboardEvent) => {
    const by = ARROWS[event.key]
    if (by === undefined) return
    event.preventDefault()
    const [day, hour] = [around(currentDay + by[0], DAYS.length), around(currentHour + by[1], HOURS.length)]
    setCurrent([day, hour])
    cells.current?.querySelector<HTMLElement>(`[data-hour="${day} ${hour}"]`)?.focus()
  }
  return (
    <section className="card web-card" aria-label="Hours of the week">
      <header className="card-head">
        <h2>Hours of the week</h2>
      </header>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !data ? (
        <Skeleton height={HEIGHT} radius={8} />
      ) : (
        <div {...dimmedWhile(isPlaceholderData, 'web-hours')} style={{ minHeight: HEIGHT }}>
          <table role={open ? 'grid' : undefined}>
            <caption className="unseen">Visitors by weekday and hour, in {zone}</caption>
            <thead>
              <tr>
                <td />
                {HOURS.map((hour) => (
                  <th key={hour} scope="col" className="tiny soft">
                    <span className={hour % 3 === 0 ? '' : 'unseen'}>{hour}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody ref={cells}>
              {DAYS.map((name, day) => (
                <tr key={name}>
                  <th scope="row" className="tiny soft">
                    {name.slice(0, 3)}
                  </th>
                  {HOURS.map((hour) => {
                    const count = at(day, hour)
                    const words = `${name} ${hour}:00, ${plural(count, 'visitor')}`
                    const face = { ['--share' as string]: `${count === 0 ? 0 : Math.round(14 + 86 * (count / most))}%` }
                    return (
                      <td key={hour} title={words}>
                        {open ? (
                          <button
                            type="button"
                            className="web-hour"
                            style={face}
                            aria-label={words}
                            aria-disabled={count === 0}
                            data-hour={`${day} ${hour}`}
                            tabIndex={day === currentDay && hour === currentHour ? 0 : -1}
                            onKeyDown={step}
                            onFocus={() => setCurrent([day, hour])}
                            onClick={() => {
                              if (count > 0)
                                open({
                                  to: 'people',
                                  title: `${name}, ${hour}:00 to ${hour + 1}:00`,
                                  source: peopleSource(state, { also: [atHour(day + 1, hour)] }),
                                })
                            }}
                          />
                        ) : (
                          <span className="web-hour" style={face}>
                            <span className="unseen">{number(count)}</span>
                          </span>
                        )}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <footer className="web-foot">
        <span className="grow tiny soft">Visitors, in {zone}</span>
        <CsvButton
          of="hours"
          file="Hours of the week"
          disabled={!data}
          lines={() => [
            ['Weekday', ...HOURS.map((hour) => `${two(hour)}:00`)],
            ...DAYS.map((name, day) => [name, ...HOURS.map((hour) => at(day, hour))]),
          ]}
        />
      </footer>
    </section>
  )
}

const HEIGHT = 250
