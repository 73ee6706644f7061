/** Functions about products: surveys, visitors that are programs, versions, languages, cells that a page draws. */
import { type Fragment, join, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { ORGANIC_CHANNEL, ORGANIC_MEDIUM, PAID_CHANNEL, PAID_MEDIUM } from '../sql/channel-sources.ts'
import { kindOf } from '../sql/channel-type.ts'
import {
  botName,
  botOperator,
  botType,
  domainType,
  isLikelyBot,
  trafficCategory,
  trafficType,
} from '../sql/virtual-properties.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'
import { valuesOf, type Writer } from './special-call.ts'

const CELL = '__hx_tag'

/** Codes of two letters, as posthog-js and browsers send them: de, de-AT, pt_BR. */
function languageNames(): Map<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const found = new Map<string, string>()
  for (const a of letters)
    for (const b of letters) {
      const name = names.of(a + b)
      if (name !== undefined) found.set(a + b, name)
    }
  return found
}

const LANGUAGES = languageNames()

const languageCodeToName: Writer = (call) => {
  const [code] = valuesOf(call, 1) as [Fragment]
  const short = sql`lower(splitByRegexp('[-_]', ifNull(toString(${code}), ''))[1])`
  return sql`transform(${short}, ${strings([...LANGUAGES.keys()])}, ${strings([...LANGUAGES.values()])}, ${short})`
}

/**
 * The answer to a question of a survey, by its id or its place. Both are sent: the answer by id is the newer one.
 * A question of several choices is answered with a list.
 */
const getSurveyResponse: Writer = ({ name, args, value }) => {
  const [place, id, type] = args
  if (place?.kind !== 'number' || (id && id.kind !== 'string' && id.kind !== 'word'))
    throw sqlError(`${name} takes the number of a question and its id: ${name}(0, 'id').`)
  const keys = [
    ...(id?.kind === 'string' ? [`$survey_response_${id.value}`] : []),
    place.text === '0' ? '$survey_response' : `$survey_response_${place.text}`,
  ]
  const answers = keys.map((key) => sql`nullIf(toString(${value({ kind: 'name', chain: ['properties', key] })}), '')`)
  const answer = sql`coalesce(${join(answers, ', ')})`
  if (type?.kind !== 'string' || type.value !== 'multiple_choice') return answer
  return sql`JSONExtract(ifNull(${answer}, '[]'), 'Array(String)')`
}

const literal = (text: string): Expression => ({ kind: 'string', value: text })

/** Cells that pages draw: a name, then what it is made of. */
const cell =
  (tag: string, ...rest: readonly string[]) =>
  (first: Fragment): Fragment =>
    sql`tuple(${str(CELL)}, ${str(tag)}, ${join(
      rest.flatMap((name, i) => (i === 0 ? [sql`${str(name)}`, first] : [sql`${str(name)}`])),
      ', ',
    )})`

/**
 * There are no rates here, so an amount stays what it is in its own currency, and a question about others is refused
 * rather than answered with something else.
 */
const convertCurrency: Writer = (call) => {
  const [from, to, amount] = valuesOf(call, 3, 4) as [Fragment, Fragment, Fragment]
  const words = 'convertCurrency knows no exchange rates: it takes amounts that are in the wanted currency'
  const differ = sql`ifNull(upper(toString(${from})) != upper(toString(${to})), 0)`
  return sql`if(throwIf(${differ}, ${str(words)}) = 0, toFloat64OrNull(toString(${amount})), NULL)`
}

const sortableSemVer: Writer = (call) => {
  const [version] = valuesOf(call, 1) as [Fragment]
  const numbers = sql`splitByChar('.', extract(ifNull(toString(${version}), ''), '(\\d+(\\.\\d+)+)'))`
  return sql`arrayMap(x -> toInt64OrZero(x), ${numbers})`
}

/** What is known of a source or medium of traffic; NULL when nothing is. */
const lookedUp =
  (of: (name: Fragment) => Fragment, meanings: Iterable<readonly [string, string]>): Writer =>
  (call) => {
    const [name] = valuesOf(call, 1) as [Fragment]
    const known = [...meanings]
    const key = of(sql`lower(ifNull(toString(${name}), ''))`)
    return sql`nullIf(transform(${key}, ${strings(known.map(([each]) => each))}, ${strings(known.map(([, meaning]) => meaning))}, ''), '')`
  }

const asItIs = (name: Fragment): Fragment => name
/** Of one argument. */
const ofOne =
  (of: (value: Fragment) => Fragment): Writer =>
  (call) =>
    of((valuesOf(call, 1) as [Fragment])[0])

export const PRODUCT_CALLS: Readonly<Record<string, Writer>> = {
  sparkline: (call) => cell('Sparkline', 'data')((valuesOf(call, 1) as [Fragment])[0]),
  recording_button: (call) => {
    const [session, words] = valuesOf(call, 1, 2) as [Fragment, Fragment?]
    return sql`tuple(${str(CELL)}, 'RecordingButton', 'sessionId', ${session}, 'children', ${words ?? call.value(literal('View recording'))})`
  },
  hogql_lookupDomainType: ofOne(domainType),
  hogql_lookupPaidSourceType: lookedUp(kindOf, Object.entries(PAID_CHANNEL)),
  hogql_lookupOrganicSourceType: lookedUp(kindOf, Object.entries(ORGANIC_CHANNEL)),
  hogql_lookupPaidMediumType: lookedUp(asItIs, PAID_MEDIUM),
  hogql_lookupOrganicMediumType: lookedUp(asItIs, ORGANIC_MEDIUM),
  getSurveyResponse,
  convertCurrency,
  languageCodeToName,
  sortableSemVer,
  isLikelyBot: ofOne(isLikelyBot),
  getBotName: ofOne(botName),
  getBotOperator: ofOne(botOperator),
  getBotType: ofOne(botType),
  getTrafficCategory: ofOne(trafficCategory),
  getTrafficType: ofOne(trafficType),
}
