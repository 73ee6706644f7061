/** The `filters` document of a flag, as it is looked at when the flag is saved. */
import { InvalidInput, type Path } from '../../lib/invalid-input.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../lib/json.ts'
import { type Aggregation, checkFilter, type Readable, shown } from './filter.ts'

const MOST_CONDITIONS = 200
const MOST_FILTERS = 100
const MOST_VARIANTS = 100
const LONGEST_PAYLOAD = 1_000_000
const LONGEST_KEY = 400
/** Sums of percentages such as 33.33 + 33.33 + 33.34 are 100, whatever floating point makes of them. */
const ROUNDING = 0.001

interface Checking extends Readable {
  /** The group types there are; `aggregation_group_type_index` names one of them. */
  readonly groupTypes: readonly number[]
  /** Whether a flag without any condition is fine: only when it has been saved before. */
  readonly mayBeEmpty: boolean
}

/** Refuses with the place what could not be evaluated; else the document is to be kept as it is. */
export function checkFilters(filters: Json, checking: Checking): void {
  const path = ['filters']
  if (!isObject(filters))
    throw new InvalidInput('Filters are an object such as {"groups": [{"properties": []}]}.', path)
  if (filters.version !== undefined)
    throw new InvalidInput('filters.version is reserved: send the version of the flag beside filters.', [
      ...path,
      'version',
    ])
  const ofFlag = aggregationOf(filters, null, path, checking)
  const variants = checkVariants(filters.multivariate, [...path, 'multivariate'])
  checkConditions(filters.groups, [...path, 'groups'], { ofFlag, variants, checking })
  if (filters.super_groups !== undefined && filters.super_groups !== null)
    checkConditions(filters.super_groups, [...path, 'super_groups'], {
      ofFlag,
      variants,
      checking: { ...checking, mayBeEmpty: true },
    })
  checkPayloads(filters.payloads, variants, [...path, 'payloads'])
  checkHoldout(filters.holdout, [...path, 'holdout'])
  for (const name of ['feature_enrollment', 'early_exit'])
    if (filters[name] !== undefined && filters[name] !== null && typeof filters[name] !== 'boolean')
      throw new InvalidInput(`${name} is true or false, not ${shown(filters[name])}.`, [...path, name])
}

function aggregationOf(owner: JsonObject, inherited: Aggregation, path: Path, { groupTypes }: Checking): Aggregation {
  const index = owner.aggregation_group_type_index
  if (index === undefined) return inherited
  if (index === null) return null
  if (typeof index === 'number' && groupTypes.includes(index)) return index
  const known = groupTypes.length === 0 ? 'this project has no group types yet' : `there are ${groupTypes.join(', ')}`
  throw new InvalidInput(`There is no group type ${shown(index)}: ${known}.`, [...path, 'aggregation_group_type_index'])
}

/** The keys of the variants. */
function checkVariants(multivariate: Json | undefined, path: Path): readonly string[] {
  if (multivariate === undefined || multivariate === null) return []
  const variants = isObject(multivariate) ? (multivariate.variants ?? []) : undefined
  if (!Array.isArray(variants))
    throw new InvalidInput('multivariate is {"variants": [{"key": "control", "rollout_percentage": 50}, ...]}.', path)
  if (variants.length > MOST_VARIANTS) throw new InvalidInput(`A flag has at most ${MOST_VARIANTS} variants.`, path)
  const keys: string[] = []
  let sum = 0
  variants.forEach((variant, at) => {
    const place = [...path, 'variants', at]
    if (!isObject(variant)) throw new InvalidInput('A variant is {"key": "control", "rollout_percentage": 50}.', place)
    const { key } = variant
    if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
      throw new InvalidInput(`The key of a variant is a text of 1 to ${LONGEST_KEY} characters.`, [...place, 'key'])
    if (keys.includes(key)) throw new InvalidInput(`There are two variants ${shown(key)}.`, [...place, 'key'])
    keys.push(key)
    if (variant.rollout_percentage === undefined || variant.rollout_percentage === null)
      throw new InvalidInput(`The variant ${shown(key)} has no rollout_percentage.`, [...place, 'rollout_percentage'])
    sum += percentageOf(variant.rollout_percentage, [...place, 'rollout_percentage'])
  })
  if (keys.length > 0 && Math.abs(sum - 100) > ROUNDING)
    throw new InvalidInput(
      `The percentages of the variants sum to ${Number(sum.toFixed(3))}: change them so that they sum to 100.`,
      [...path, 'variants'],
    )
  return keys
}

interface OfConditions {
  readonly ofFlag: Aggregation
  readonly variants: readonly string[]
  readonly checking: Checking
}

function checkConditions(conditions: Json | undefined, path: Path, { ofFlag, variants, checking }: OfConditions): void {
  if (!Array.isArray(conditions ?? [])) throw new InvalidInput('groups is a list of conditions.', path)
  const list = (conditions ?? []) as readonly Json[]
  if (list.length === 0 && !checking.mayBeEmpty)
    throw new InvalidInput(
      'A flag needs at least one condition: send {"groups": [{"properties": [], "rollout_percentage": 100}]} for everybody.',
      path,
    )
  if (list.length > MOST_CONDITIONS) throw new InvalidInput(`A flag has at most ${MOST_CONDITIONS} conditions.`, path)
  list.forEach((condition, at) => {
    const place = [...path, at]
    if (!isObject(condition))
      throw new InvalidInput('A condition is {"properties": [], "rollout_percentage": 100, "variant": null}.', place)
    const { properties, rollout_percentage, variant } = condition
    if (rollout_percentage !== undefined && rollout_percentage !== null)
      percentageOf(rollout_percentage, [...place, 'rollout_percentage'])
    if (variant !== undefined && variant !== null && (typeof variant !== 'string' || !variants.includes(variant)))
      throw new InvalidInput(
        `Condition ${at + 1} gives the variant ${shown(variant)}, which the flag does not have` +
          `${variants.length === 0 ? '' : `: it has ${variants.join(', ')}`}.`,
        [...place, 'variant'],
      )
    const aggregation = aggregationOf(condition, ofFlag, place, checking)
    const filters = properties ?? []
    if (!Array.isArray(filters)) throw new InvalidInput('properties is a list of filters.', [...place, 'properties'])
    if (filters.length > MOST_FILTERS)
      throw new InvalidInput(`A condition has at most ${MOST_FILTERS} filters.`, [...place, 'properties'])
    filters.forEach((filter, index) => {
      checkFilter(filter, { path: [...place, 'properties', index], aggregation }, checking)
    })
  })
}

function percentageOf(value: Json, path: Path): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new InvalidInput(`A percentage is a number from 0 to 100, not ${shown(value)}.`, path)
  if (value < 0 || value > 100) throw new InvalidInput(`A percentage is from 0 to 100: ${value} is not.`, path)
  return value
}

/** A payload is the text of JSON; SDKs parse it. */
function checkPayloads(payloads: Json | undefined, variants: readonly string[], path: Path): void {
  if (payloads === undefined || payloads === null) return
  if (!isObject(payloads)) throw new InvalidInput('payloads is an object of JSON texts by variant.', path)
  const allowed = variants.length > 0 ? variants : ['true']
  for (const [key, payload] of Object.entries(payloads)) {
    const place = [...path, key]
    if (!allowed.includes(key))
      throw new InvalidInput(
        variants.length > 0
          ? `There is a payload for ${shown(key)}, which is no variant: the variants are ${variants.join(', ')}.`
          : `A flag without variants has a payload for "true" only, not for ${shown(key)}.`,
        place,
      )
    if (payload === null) continue
    if (typeof payload !== 'string') continue
    if (payload.length > LONGEST_PAYLOAD)
      throw new InvalidInput(`A payload has at most ${LONGEST_PAYLOAD} characters.`, place)
    if (!isJsonText(payload))
      throw new InvalidInput(`The payload for ${shown(key)} is not JSON: write a text as "\\"text\\"".`, place)
  }
}

function isJsonText(text: string): boolean {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

function checkHoldout(holdout: Json | undefined, path: Path): void {
  if (holdout === undefined || holdout === null) return
  if (!isObject(holdout)) throw new InvalidInput('holdout is {"id": 1, "exclusion_percentage": 10}.', path)
  percentageOf(holdout.exclusion_percentage ?? null, [...path, 'exclusion_percentage'])
}
