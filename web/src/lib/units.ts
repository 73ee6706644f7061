import { duration, number, short } from './format.ts'

/** What the numbers of a chart are, by the names that insights keep. */
export type Unit =
  | 'numeric'
  | 'short'
  /** 42 is 42%. */
  | 'percentage'
  /** 0.42 is 42%. */
  | 'percentage_scaled'
  | 'currency'
  /** Seconds. */
  | 'duration'
  | 'duration_ms'

export interface Units {
  unit?: Unit | undefined
  prefix?: string | undefined
  suffix?: string | undefined
  /** As many decimals, whatever the number; as many as it needs when absent. */
  decimals?: number | undefined
}

export interface UnitFormats {
  /** In tables and tooltips. */
  full: (value: number) => string
  /** Where there is little room: along an axis. */
  brief: (value: number) => string
}

export const hasUnits = ({ unit, prefix, suffix, decimals }: Units): boolean =>
  unit !== undefined || !!prefix || !!suffix || decimals !== undefined

export function unitFormats(units: Units): UnitFormats {
  if (!hasUnits(units)) return { full: number, brief: short }
  const { prefix = '', suffix = '' } = units
  const around = (format: (value: number) => string) => (value: number) => `${prefix}${format(value)}${suffix}`
  return { full: around(formatOf(units, number)), brief: around(formatOf(units, short)) }
}

function formatOf({ unit, decimals }: Units, plain: (value: number) => string): (value: number) => string {
  const fixed = decimals === undefined ? plain : (value: number) => withDecimals(value, decimals)
  switch (unit) {
    case 'short':
      return short
    case 'percentage':
      return (value) => `${fixed(value)}%`
    case 'percentage_scaled':
      return (value) => `${fixed(rounded(value * 100))}%`
    case 'currency':
      return (value) => `${value < 0 ? '−' : ''}$${withDecimals(Math.abs(value), decimals ?? cents(value))}`
    case 'duration':
      return (value) => signed(value, duration)
    case 'duration_ms':
      return (value) => signed(value / 1000, duration)
    default:
      return fixed
  }
}

const signed = (value: number, format: (value: number) => string): string =>
  value === 0 ? '0s' : value < 0 ? `−${format(-value)}` : format(value)

/** Without the traces of binary fractions: 0.07 * 100. */
const rounded = (value: number): number => Number(value.toPrecision(12))

const cents = (value: number): number => (Number.isInteger(value) ? 0 : 2)

const withDecimals = (value: number, decimals: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : '–'
