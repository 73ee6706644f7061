/**
 * The functions a query may use: those that compute, and none that reaches a file, a network, another table or the
 * server itself.
 */
const AGGREGATES = `count uniq uniqExact uniqHLL12 uniqCombined sum avg min max any anyLast argMax argMin median medianExact quantile quantileExact
  quantiles quantileTDigest groupArray groupUniqArray groupArraySorted topK sumMap avgWeighted stddevPop stddevSamp varPop varSamp corr covarPop covarSamp
  skewPop kurtPop entropy first_value last_value windowFunnel retention sequenceMatch sequenceCount groupBitAnd groupBitOr simpleLinearRegression
  deltaSum`

const WINDOWS = 'row_number rank dense_rank lag lead lagInFrame leadInFrame ntile nth_value percent_rank'

const OTHERS = `
  if multiIf coalesce ifNull nullIf isNull isNotNull assumeNotNull toNullable greatest least
  equals notEquals less greater lessOrEquals greaterOrEquals and or not xor in notIn like notLike ilike notILike match
  plus minus multiply divide intDiv modulo negate abs sign round floor ceil trunc sqrt cbrt exp exp2 exp10 log ln log2 log10 log1p pow power pi e
  sin cos tan asin acos atan atan2 sinh cosh tanh radians degrees isFinite isInfinite isNaN gcd lcm bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight
  toString toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toInt64OrNull toInt64OrZero toInt32OrNull toFloat32 toFloat64 toFloat64OrNull
  toFloat64OrZero toDate toDateOrNull toDate32 toUUID toUUIDOrNull toBool toTypeName hex unhex
  parseDateTime64BestEffort parseDateTime64BestEffortOrNull parseDateTimeBestEffort parseDateTimeBestEffortOrNull
  toYear toQuarter toMonth toDayOfYear toDayOfMonth toDayOfWeek toHour toMinute toSecond toUnixTimestamp fromUnixTimestamp toStartOfYear toStartOfISOYear
  toStartOfQuarter toStartOfMonth toLastDayOfMonth toMonday toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute toStartOfSecond toStartOfFiveMinutes
  toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval toISOYear toISOWeek toWeek toYearWeek toYYYYMM toYYYYMMDD age dateDiff dateTrunc date_trunc date_diff
  dateAdd dateSub addSeconds addMinutes addHours addDays addWeeks addMonths addQuarters addYears subtractSeconds subtractMinutes subtractHours subtractDays
  subtractWeeks subtractMonths subtractQuarters subtractYears toTimeZone timeZoneOf formatDateTime dateName monthName timeSlot toIntervalSecond toIntervalMinute
  toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth toIntervalQuarter toIntervalYear makeDate
  empty notEmpty length lengthUTF8 lower upper lowerUTF8 upperUTF8 leftPad rightPad reverse reverseUTF8 concat concatWithSeparator substring substringUTF8
  substr left right trim trimLeft trimRight trimBoth ltrim rtrim startsWith endsWith position positionCaseInsensitive positionUTF8 positionCaseInsensitiveUTF8 locate
  replace replaceOne replaceAll replaceRegexpOne replaceRegexpAll extract extractAll splitByChar splitByString splitByRegexp arrayStringConcat
  multiSearchAny multiSearchAnyCaseInsensitive multiMatchAny countSubstrings hasToken base64Encode base64Decode tryBase64Decode encodeURLComponent decodeURLComponent
  ngramDistance format initcap ascii
  protocol domain domainWithoutWWW topLevelDomain path pathFull queryString fragment extractURLParameter extractURLParameters cutQueryString
  cutFragment cutQueryStringAndFragment cutURLParameter cutWWW netloc port
  array arrayConcat arrayElement arrayMap arrayFilter arrayExists arrayAll arrayCount arraySum arrayAvg arrayMin arrayMax arraySort arrayReverseSort arrayReverse
  arrayUniq arrayDistinct arrayFirst arrayFirstIndex arrayLast arrayEnumerate arrayCumSum arrayDifference arrayFlatten arrayCompact arraySlice arrayPushBack
  arrayPushFront arrayPopBack arrayPopFront arrayJoin arrayZip arrayIntersect arrayReduce has hasAll hasAny indexOf countEqual range
  tuple tupleElement map mapKeys mapValues mapContains untuple
  JSONHas JSONLength JSONType JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool JSONExtractRaw JSONExtractArrayRaw
  JSONExtractKeys JSONExtractKeysAndValuesRaw isValidJSON
  cityHash64 sipHash64 murmurHash3_64 xxHash64 MD5 SHA1 SHA256 generateUUIDv4 rand rand64 transform bar formatReadableQuantity formatReadableTimeDelta
  formatReadableSize roundBankers roundDown roundToExp2 widthBucket isUUID runningDifference neighbor`

const words = (text: string) => text.trim().split(/\s+/)

const IF_FORMS = words(AGGREGATES).flatMap((name) => [`${name}If`, `${name}Distinct`, `${name}OrNull`, `${name}Array`])
const KNOWN = new Set([...words(AGGREGATES), ...IF_FORMS, ...words(WINDOWS), ...words(OTHERS)])
const BY_LOWER = new Map([...KNOWN].map((name) => [name.toLowerCase(), name]))

/** The name as the engine spells it; undefined when queries may not use it. */
export const knownFunction = (name: string): string | undefined =>
  KNOWN.has(name) ? name : BY_LOWER.get(name.toLowerCase())

/** Functions that take numbers and nothing else: a property given to one means the number in it. */
export const isOfNumbers = (name: string): boolean =>
  /^(sum|avg|median|quantile|stddev|var(Pop|Samp)|round|floor|ceil|abs|sqrt|log|exp|pow)/.test(name) &&
  name !== 'sumMap'

const AGGREGATE = new Set([...words(AGGREGATES), ...IF_FORMS])
export const isAggregate = (name: string): boolean => AGGREGATE.has(knownFunction(name) ?? '')
