import fc from 'fast-check'

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`))

/** JSON numbers in every spelling: long, short, with a point anywhere, with exponents that a double cannot hold. */
export const NUMBER_TEXT: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      digits(25).map((text) => text.replace(/^0+(?=.)/, '')),
      fc.constantFrom('0', '9007199254740993', '12345678901234567890'),
    ),
    fc.option(digits(25), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.oneof(fc.nat(30), fc.nat(500))), {
      nil: undefined,
    }),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : exponent.join('')}`,
  )

/** The value of a number text, whatever its spelling: its digits without zeros at the ends, and where the point stands. */
export function exactValue(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text.trim()) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const short = all.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(exponent) - fraction.length + all.length - short.length}`
}
