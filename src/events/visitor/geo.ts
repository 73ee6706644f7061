/**
 * Where an address is: properties `$geoip_*`, out of a file in MaxMind's format. Without a setting it is the country
 * file that comes with Footfall; a city file may be named instead. Answers are cached by address, and the file is read
 * again when it changes.
 */
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BlockList, isIP } from 'node:net'
import path from 'node:path'
import { Reader } from 'mmdb-lib'
import { MINUTE } from '../../lib/durations.ts'
import { type JsonObject, numberFrom } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'

export interface GeoLookup {
  /** Null when nothing is known of the address. */
  find(ip: string): JsonObject | null
}

export const NO_GEO: GeoLookup = { find: () => null }

const CACHED = 20_000

/** Networks that are nowhere: files of addresses give some of them a country nevertheless. */
const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')

const isPrivate = (ip: string): boolean => isIP(ip) === 0 || PRIVATE.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')

export class GeoFile implements GeoLookup {
  readonly file: string
  #reader: Reader<never>
  #changedAt: number
  readonly #known = new Map<string, JsonObject | null>()
  readonly #watch: NodeJS.Timeout

  private constructor(file: string, reader: Reader<never>, changedAt: number) {
    this.file = file
    this.#reader = reader
    this.#changedAt = changedAt
    this.#watch = setInterval(() => void this.reload(), MINUTE).unref()
  }

  /** `setting` is a path, `off`, or undefined for the file that comes with Footfall. Rejects when it cannot be read. */
  static async open(setting: string | undefined): Promise<GeoFile | null> {
    if (setting === 'off') return null
    const file = setting ?? shippedFile()
    const { mtimeMs } = await stat(file)
    return new GeoFile(file, await read(file), mtimeMs)
  }

  /** When the data were made, ms since epoch. */
  get madeAt(): number {
    return this.#reader.metadata.buildEpoch.getTime()
  }

  /** Whose data these are, as the file says: "DBIP-City-Lite". */
  get type(): string {
    return this.#reader.metadata.databaseType
  }

  find(ip: string): JsonObject | null {
    const known = this.#known.get(ip)
    if (known !== undefined) return known
    const found = geoProperties(this.#lookUp(ip))
    if (this.#known.size >= CACHED) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(ip, found)
    return found
  }

  /** Reads the file again if it has changed. One that cannot be read, perhaps half written, is left for the next time. */
  async reload(): Promise<void> {
    try {
      const { mtimeMs } = await stat(this.file)
      if (mtimeMs === this.#changedAt) return
      this.#reader = await read(this.file)
      this.#changedAt = mtimeMs
      this.#known.clear()
    } catch {
      // The data that were read before stay in use.
    }
  }

  close(): void {
    clearInterval(this.#watch)
  }

  #lookUp(ip: string): unknown {
    if (isPrivate(ip)) return null
    try {
      return this.#reader.get(ip)
    } catch {
      return null
    }
  }
}

/** Where addresses are, and of which network. */
export class GeoFiles implements GeoLookup {
  readonly places: GeoFile | null
  readonly networks: GeoFile | null
  readonly #merged = new Map<string, { place: JsonObject; network: JsonObject; both: JsonObject }>()

  constructor(places: GeoFile | null, networks: GeoFile | null) {
    this.places = places
    this.networks = networks
  }

  find(ip: string): JsonObject | null {
    const place = this.places?.find(ip) ?? null
    const network = this.networks?.find(ip) ?? null
    if (place === null || network === null) return place ?? network
    const known = this.#merged.get(ip)
    // After a reload the files give other objects.
    if (known?.place === place && known.network === network) return known.both
    const both = { ...network, ...place, ...(network.$geoip_asn ? { $geoip_asn: network.$geoip_asn } : {}) }
    if (this.#merged.size >= CACHED) this.#merged.delete(this.#merged.keys().next().value as string)
    this.#merged.set(ip, { place, network, both })
    return both
  }

  close(): void {
    this.places?.close()
    this.networks?.close()
  }
}

/**
 * Whose file tells places, where its licence asks to be named. Some files say so themselves, others only by their name,
 * which is also what a process knows that reads no file.
 */
export const creditedSource = (file: string | undefined, type = ''): 'dbip' | null =>
  file !== undefined && file !== 'off' && /db-?ip/i.test(`${type} ${path.basename(file)}`) ? 'dbip' : null

export interface GeoSettings {
  /** As `GeoFile.open` takes it. */
  readonly geoip: string | undefined
  /** A file with the numbers of networks; none when it is not said. */
  readonly geoip_asn: string | undefined
}

/** A file that cannot be read costs the places of visitors, not the start. */
export async function openGeo({ geoip, geoip_asn }: GeoSettings, log: Logger): Promise<GeoFiles> {
  const open = async (file: string | undefined, words: string) => {
    try {
      return await GeoFile.open(file)
    } catch (error) {
      log.warn({ file, error: (error as Error).message }, words)
      return null
    }
  }
  return new GeoFiles(
    await open(geoip, 'FOOTFALL_GEOIP cannot be read: events get no country'),
    geoip_asn ? await open(geoip_asn, 'FOOTFALL_GEOIP_ASN cannot be read: networks of visitors are not known') : null,
  )
}

const read = async (file: string): Promise<Reader<never>> => new Reader<never>(await readFile(file))

function shippedFile(): string {
  const manifest = createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/package.json')
  return path.join(path.dirname(manifest), 'geo-whois-asn-country.mmdb')
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' })

/** Of a country that a proxy has named. */
export const geoOfCountry = (code: string | undefined): JsonObject | null =>
  code !== undefined && /^[A-Z]{2}$/.test(code) && code !== 'XX' && code !== 'T1' ? countryProperties(code) : null

function countryProperties(code: string): JsonObject {
  const name = COUNTRIES.of(code)
  return { $geoip_country_code: code, ...(name && name !== code ? { $geoip_country_name: name } : {}) }
}

/** Files of MaxMind nest what they know; those of ip-location-db are flat. */
export function geoProperties(record: unknown): JsonObject | null {
  if (!isObject(record)) return null
  const at = (...keys: string[]): unknown =>
    keys.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), record)
  const text = (...values: unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '')
  const number = (...values: unknown[]): number | undefined => {
    const found = values.find((value) => value !== undefined && value !== '' && Number.isFinite(numberFrom(value)))
    return found === undefined ? undefined : numberFrom(found)
  }
  const code = text(record.country_code, at('country', 'iso_code'))
  const properties: Record<string, string | number | undefined> = {
    ...(code === undefined ? {} : (countryProperties(code) as Record<string, string>)),
    $geoip_city_name: text(at('city', 'names', 'en'), record.city),
    $geoip_continent_name: text(at('continent', 'names', 'en')),
    $geoip_continent_code: text(at('continent', 'code')),
    $geoip_postal_code: text(at('postal', 'code'), record.postcode),
    $geoip_latitude: number(at('location', 'latitude'), record.latitude),
    $geoip_longitude: number(at('location', 'longitude'), record.longitude),
    $geoip_accuracy_radius: number(at('location', 'accuracy_radius')),
    $geoip_time_zone: text(at('location', 'time_zone'), record.timezone),
    $geoip_asn: number(record.autonomous_system_number),
  }
  const subdivisions = Array.isArray(record.subdivisions) ? record.subdivisions : [record.state1, record.state2]
  for (const [index, each] of subdivisions.slice(0, 3).entries()) {
    properties[`$geoip_subdivision_${index + 1}_code`] = isObject(each) ? text(each.iso_code) : undefined
    properties[`$geoip_subdivision_${index + 1}_name`] = isObject(each) ? text(at2(each, 'names', 'en')) : text(each)
  }
  const known = Object.entries(properties).filter((entry): entry is [string, string | number] => entry[1] !== undefined)
  return known.length === 0 ? null : Object.fromEntries(known)
}

const at2 = (value: Record<string, unknown>, first: string, second: string): unknown => {
  const inner = value[first]
  return isObject(inner) ? inner[second] : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
