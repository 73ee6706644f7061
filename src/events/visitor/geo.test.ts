import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mmdb } from '../../../test/support/mmdb.ts'
import { createLogger } from '../../lib/logger.ts'
import { GeoFile, openGeo } from './geo.ts'

const log = createLogger('silent')
const PARIS = {
  country: { iso_code: 'FR' },
  continent: { code: 'EU', names: { en: 'Europe' } },
  city: { names: { en: 'Paris' } },
  postal: { code: '75001' },
  location: { latitude: 48.85, longitude: 2.35, accuracy_radius: 20, time_zone: 'Europe/Paris' },
  subdivisions: [{ iso_code: 'IDF', names: { en: 'Île-de-France' } }],
}

let folder: string
let places: string
let networks: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-geo-'))
  places = path.join(folder, 'city.mmdb')
  networks = path.join(folder, 'asn.mmdb')
  await writeFile(
    places,
    mmdb({ '2.2.0.0/16': PARIS, '9.0.0.0/8': { country_code: 'US', city: 'Boston', state1: 'MA' } }),
  )
  await writeFile(networks, mmdb({ '2.2.2.0/24': { autonomous_system_number: 24940 } }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a file of cities', () => {
  it('says the city in the form of MaxMind and in that of ip-location-db', async () => {
    const file = await GeoFile.open(places)
    expect(file?.find('2.2.3.4')).toEqual({
      $geoip_country_code: 'FR',
      $geoip_country_name: 'France',
      $geoip_city_name: 'Paris',
      $geoip_continent_name: 'Europe',
      $geoip_continent_code: 'EU',
      $geoip_postal_code: '75001',
      $geoip_latitude: 48.85,
      $geoip_longitude: 2.35,
      $geoip_accuracy_radius: 20,
      $geoip_time_zone: 'Europe/Paris',
      $geoip_subdivision_1_code: 'IDF',
      $geoip_subdivision_1_name: 'Île-de-France',
    })
    expect(file?.find('9.1.1.1')).toMatchObject({ $geoip_city_name: 'Boston', $geoip_subdivision_1_name: 'MA' })
    expect(file?.find('3.3.3.3')).toBeNull()
    file?.close()
  })

  it('is read again when it changes; one that is half written is not', async () => {
    const changing = path.join(folder, 'changing.mmdb')
    await writeFile(changing, mmdb({ '2.2.0.0/16': PARIS }, Date.UTC(2026, 0, 1)))
    const file = await GeoFile.open(changing)
    expect([file?.find('2.2.3.4')?.$geoip_city_name, file?.madeAt]).toEqual(['Paris', Date.UTC(2026, 0, 1)])
    const replaced = async (content: Buffer, second: number) => {
      await writeFile(changing, content)
      await utimes(changing, second, second)
      await file?.reload()
    }
    const lyon = mmdb({ '2.2.0.0/16': { ...PARIS, city: { names: { en: 'Lyon' } } } }, Date.UTC(2026, 5, 1))
    await replaced(lyon.subarray(0, 20), 1_000)
    expect(file?.find('2.2.3.4')?.$geoip_city_name).toBe('Paris')
    await replaced(lyon, 2_000)
    expect([file?.find('2.2.3.4')?.$geoip_city_name, file?.madeAt]).toEqual(['Lyon', Date.UTC(2026, 5, 1)])
    file?.close()
  })
})

describe('a file of networks', () => {
  it('adds the number of the network to the place', async () => {
    const geo = await openGeo({ geoip: places, geoip_asn: networks }, log)
    expect(geo.find('2.2.2.2')).toMatchObject({ $geoip_city_name: 'Paris', $geoip_asn: 24940 })
    expect(geo.find('2.2.2.2')).toBe(geo.find('2.2.2.2'))
    expect(geo.find('2.2.3.3')).not.toHaveProperty('$geoip_asn')
    geo.close()
  })

  it('is enough by itself, and not needed', async () => {
    const alone = await openGeo({ geoip: 'off', geoip_asn: networks }, log)
    expect(alone.find('2.2.2.2')).toEqual({ $geoip_asn: 24940 })
    const none = await openGeo({ geoip: places, geoip_asn: path.join(folder, 'missing.mmdb') }, log)
    expect([none.networks, none.find('2.2.2.2')?.$geoip_asn]).toEqual([null, undefined])
    for (const geo of [alone, none]) geo.close()
  })
})
