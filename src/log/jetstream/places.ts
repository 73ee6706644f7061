import type { Position } from '../port.ts'

/**
 * A message holds the records of many requests, so a position is the number of the message and the index in it. At ten
 * thousand messages a second the numbers last for 28 years.
 */
export const RECORDS_A_MESSAGE = 1024

export const positionOf = (sequence: number, place = 0): Position => sequence * RECORDS_A_MESSAGE + place
export const sequenceOf = (position: Position): number => Math.floor(position / RECORDS_A_MESSAGE)
export const placeOf = (position: Position): number => position % RECORDS_A_MESSAGE
