import { uuidV5 } from '../../lib/uuid.ts'

const PERSONS = '932979b4-65c3-4424-8467-0b66ec27bc22'

/** A distinct id leads to the same uuid before and after it has a person, and again after that person was deleted. */
export const personUuid = (project: number, distinctId: string): string => uuidV5(PERSONS, `${project}:${distinctId}`)

/** For the rare person whose own uuid belongs to somebody else since a split. Follows from the event, so that a retry makes the same. */
export const spareUuid = (project: number, distinctId: string, salt: string): string =>
  uuidV5(PERSONS, `${project}:${distinctId}:${salt}`)
