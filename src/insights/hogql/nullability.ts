/** Which calls may answer NULL. What is not known may. */
export type Nullability = 'never' | 'like-arguments' | 'like-all-arguments' | 'always'

const words = (text: string) => new Set(text.trim().split(/\s+/))

const NEVER =
  words(`isNull isNotNull isNullable assumeNotNull toTypeName concat count uniq uniqExact uniqHLL12 uniqCombined uniqCombined64 uniqTheta
  groupArray groupUniqArray groupArraySorted topK sumMap windowFunnel retention sequenceMatch sequenceCount quantiles
  row_number rank dense_rank ntile percent_rank array tuple map range arrayMap arrayFilter arraySort arrayReverseSort
  arrayDistinct arrayConcat arrayEnumerate arraySlice arrayZip has hasAll hasAny indexOf countEqual arrayExists arrayAll arrayCount
  now now64 today yesterday rand rand64 generateUUIDv4 pi e mapKeys mapValues mapContains`)

const LIKE_ARGUMENTS =
  words(`if multiIf greatest least and or not xor plus minus multiply divide intDiv modulo negate abs sign round floor ceil
  trunc sqrt cbrt exp exp2 exp10 log ln log2 log10 log1p pow power sin cos tan asin acos atan atan2 sinh cosh tanh radians degrees isFinite
  isInfinite isNaN gcd lcm bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight roundBankers roundDown roundToExp2 widthBucket
  toString toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toInt64OrZero toFloat32 toFloat64 toFloat64OrZero toDate toDate32
  toUUID toBool hex unhex parseDateTimeBestEffort parseDateTime64BestEffort
  toYear toQuarter toMonth toDayOfYear toDayOfMonth toDayOfWeek toHour toMinute toSecond toUnixTimestamp fromUnixTimestamp toStartOfYear
  toStartOfISOYear toStartOfQuarter toStartOfMonth toLastDayOfMonth toMonday toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute
  toStartOfSecond toStartOfFiveMinutes toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval toISOYear toISOWeek toWeek toYearWeek
  toYYYYMM toYYYYMMDD age dateDiff dateTrunc date_trunc date_diff dateAdd dateSub addSeconds addMinutes addHours addDays addWeeks addMonths
  addQuarters addYears subtractSeconds subtractMinutes subtractHours subtractDays subtractWeeks subtractMonths subtractQuarters
  subtractYears toTimeZone formatDateTime dateName monthName timeSlot makeDate toIntervalSecond toIntervalMinute toIntervalHour
  toIntervalDay toIntervalWeek toIntervalMonth toIntervalQuarter toIntervalYear
  empty notEmpty length lengthUTF8 lower upper lowerUTF8 upperUTF8 leftPad rightPad reverse reverseUTF8 substring substringUTF8 substr left
  right trim trimLeft trimRight trimBoth ltrim rtrim startsWith endsWith match position positionCaseInsensitive positionUTF8
  positionCaseInsensitiveUTF8 locate replace replaceOne replaceAll replaceRegexpOne replaceRegexpAll extract extractAll splitByChar
  splitByString splitByRegexp countSubstrings hasToken base64Encode base64Decode encodeURLComponent decodeURLComponent initcap ascii
  protocol domain domainWithoutWWW topLevelDomain path pathFull queryString fragment extractURLParameter cutQueryString cutFragment
  cutQueryStringAndFragment cutURLParameter cutWWW netloc port JSONHas JSONLength JSONType JSONExtractString JSONExtractInt
  JSONExtractUInt JSONExtractFloat JSONExtractBool JSONExtractRaw isValidJSON cityHash64 sipHash64 xxHash64 MD5 SHA1 SHA256 transform
  sum avg min max any anyLast argMax argMin median medianExact quantile quantileExact quantileTDigest stddevPop stddevSamp varPop varSamp
  formatReadableQuantity formatReadableTimeDelta formatReadableSize`)

const LIKE_ALL_ARGUMENTS = words('ifNull coalesce')

/** Of a function by the name the engine has for it, with or without a suffix such as If. */
export function nullabilityOf(name: string): Nullability {
  if (name.endsWith('OrNull')) return 'always'
  for (const each of [name, name.replace(/(?:If|Distinct|Array)+$/, '')]) {
    if (NEVER.has(each)) return 'never'
    if (LIKE_ARGUMENTS.has(each)) return 'like-arguments'
    if (LIKE_ALL_ARGUMENTS.has(each)) return 'like-all-arguments'
  }
  return 'always'
}
