/**
 * Makes web/src/features/web-analytics/world.json, the map of web analytics: the outline of each country as a path of SVG,
 * by its code. The shapes are Natural Earth's (public domain), in the form of the package world-atlas. It is run by hand
 * when the map should change, in a folder that has the packages:
 *
 *   npm install --no-save world-atlas topojson-client d3-geo i18n-iso-countries && node scripts/world-map.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const load = createRequire(path.join(process.cwd(), 'package.json'))
const { geoNaturalEarth1, geoPath, geoCentroid } = load('d3-geo')
const { feature } = load('topojson-client')
const { numericToAlpha2 } = load('i18n-iso-countries')

const OUT = process.argv[2] ?? 'web/src/features/web-analytics/world.json'
/** Points lie on whole numbers: half a pixel where the map is 500 wide. */
const [WIDTH, HEIGHT] = [1000, 480]
/** Antarctica has no visitors, and takes a fifth of the height. */
const LEFT_OUT = new Set(['AQ'])

const read = (file) => JSON.parse(readFileSync(load.resolve(`world-atlas/${file}`), 'utf8'))
const countriesOf = (atlas) => feature(atlas, atlas.objects.countries).features
/** Those without a number are parts of the world that not everybody counts as countries. */
const CODES = { Kosovo: 'XK', 'N. Cyprus': 'CY', Somaliland: 'SO' }
const codeOf = ({ id, properties }) => numericToAlpha2(id) ?? CODES[properties.name]

const coarse = countriesOf(read('countries-110m.json')).filter((each) => !LEFT_OUT.has(codeOf(each)))
const projection = geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: 'FeatureCollection', features: coarse })

/** Rings on the grid, written as steps from point to point, which are short numbers. Rings of no area are left out. */
const outline = (country) =>
  (geoPath(projection).digits(0)(country) ?? '')
    .split('M')
    .flatMap((ring) => {
      const points = ring
        .replace('Z', '')
        .split('L')
        .map((point) => point.split(',').map(Number))
        .filter(([x, y], index, all) => x !== all[index - 1]?.[0] || y !== all[index - 1]?.[1])
      if (ring === '' || points.length < 4) return []
      const [[x, y], ...others] = points
      const steps = others.map(([right, down], index) => [right - points[index][0], down - points[index][1]])
      return [`M${x} ${y}l${steps.map(([right, down]) => `${right} ${down}`).join(' ')}z`.replaceAll(' -', '-')]
    })
    .join('')

const paths = {}
for (const country of coarse) {
  const code = codeOf(country)
  if (code === undefined) throw new Error(`no code for ${country.properties.name}`)
  const found = outline(country)
  if (found !== '') paths[code] = (paths[code] ?? '') + found
}
/** Countries that are too small for an outline at this scale are dots. */
const dots = {}
for (const country of countriesOf(read('countries-50m.json'))) {
  const code = codeOf(country)
  if (code === undefined || code in paths || LEFT_OUT.has(code)) continue
  const place = projection(geoCentroid(country))
  if (place) dots[code] = place.map((at) => Math.round(at))
}
writeFileSync(OUT, `${JSON.stringify({ width: WIDTH, height: HEIGHT, paths, dots }, null, 2)}\n`)
console.log(`${Object.keys(paths).length} outlines, ${Object.keys(dots).length} dots`)
