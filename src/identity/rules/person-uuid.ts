import { uuidV5 } from '../../lib/uuid.ts'

const PERSONS = '932979b4-65c3-4424-8467-0b66ec27bc22'

/**
 * Derived from the distinct id: the same uuid before it has a person, after, and again after the person was deleted.
 */
export const personUuid = (project: number, distinctId: string): string => uuidV5(PERSONS, `${project}:${distinctId}`)

/**
 * For the rare case that the derived uuid belongs to another person since a split. Derived from the event, so that a
 * retry gives the same.
 */
export const spareUuid = (project: number, distinctId: string, salt: string): string =>
  uuidV5(PERSONS, `${project}:${distinctId}:${salt}`)
