/**
 * Networks of hosting companies, by the number of their autonomous system. People browse from elsewhere; known only
 * when the file of addresses has such numbers.
 */
export const DATACENTERS: ReadonlySet<number> = new Set([
  16509, 14618, 8987, 396982, 15169, 8075, 8068, 14061, 24940, 213230, 16276, 35540, 63949, 20473, 64515, 132203, 45090,
  45102, 37963, 31898, 51167, 60781, 28753, 12876, 36352, 55286, 9009, 62240, 53667, 40065, 136907, 55990, 13335, 54825,
])
