/** A list as lists of at most so many, in order. Of nothing there is none. */
export function inPieces<T>(values: readonly T[], most: number): T[][] {
  const pieces: T[][] = []
  for (let from = 0; from < values.length; from += most) pieces.push(values.slice(from, from + most))
  return pieces
}
