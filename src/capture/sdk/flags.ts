/**
 * `/flags` and `/decide`: which flags are on for whoever asks. Definitions are in memory; what is stored about the
 * person comes from one read that requests share. Whatever cannot be read fails only the flags that need it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type AnswerForm,
  evaluateFlags,
  type FlagDirectory,
  flagFields,
  type LastAnswers,
  type ProjectFlags,
  runtimeOf,
  type SubjectReader,
  selectFlags,
} from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { asciiJson, exactDigits, isObject, type Json, type JsonObject, parseJson, plainText } from '../../lib/json.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { LIMITS } from '../limits.ts'
import type { ProjectSettings } from '../projects/project-directory.ts'
import { distinctIdOf } from '../stages/distinct-id.ts'
import { cutTo, storable } from '../stages/text.ts'
import { remoteConfig } from './remote-config.ts'

export interface FlagDeps {
  readonly directory: FlagDirectory
  readonly subjects: SubjectReader
  readonly lastAnswers: LastAnswers
}

export interface FlagQuestion {
  readonly path: '/flags' | '/decide'
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: JsonObject
  readonly project: ProjectSettings
}

/** The whole answer as text, of ASCII characters alone. */
export function flagsAnswer(
  question: FlagQuestion,
  flags: FlagDeps | undefined,
  now: number,
): string | Promise<string> {
  const { body, project, path, query } = question
  const distinctId = distinctIdIn(body) ?? query.get('distinct_id')
  if (distinctId === null)
    throw new ApiError('required', 'Flags are about somebody: send distinct_id.', { attr: 'distinct_id' })
  const known = flags?.directory.of(project.id)
  const form = path === '/flags' ? formOfFlags(query) : formOfDecide(query)
  const finish = (fields: string): string => {
    const config = hasConfig(path, query) ? `,${configFields(path, project, known)}` : ''
    return `{${fields},"requestId":"${uuidV7(now)}","evaluatedAt":${now}${config}}`
  }
  if (flags === undefined || known === undefined || body.disable_flags === true) return finish(flagFields([], form))
  return evaluated({ question, distinctId, known, form, flags, now, finish })
}

function evaluated({
  question: { body, query, headers },
  distinctId,
  known,
  form,
  flags: { subjects, lastAnswers },
  now,
  finish,
}: {
  readonly question: FlagQuestion
  readonly distinctId: string
  readonly known: ProjectFlags
  readonly form: AnswerForm
  readonly flags: FlagDeps
  readonly now: number
  finish(fields: string): string
}): string | Promise<string> {
  const personProperties = objectIn(body, 'person_properties', '$properties')
  const asker = {
    distinctId,
    anonDistinctId: idIn(body.anon_distinct_id ?? body.$anon_distinct_id),
    groups: objectIn(body, 'groups', '$groups'),
  }
  const chosen = selectFlags(known, {
    keys: textsIn(body.flag_keys ?? body.flag_keys_to_evaluate),
    contexts: textsIn(body.evaluation_contexts ?? body.evaluation_environments) ?? [],
    runtime: runtimeOf(body.evaluation_runtime, headers),
    surveysOnly: isYes(query.get('only_evaluate_survey_feature_flags')),
  })
  const stored = chosen.length === 0 ? null : subjects.read(known, asker)
  const last = chosen === known.flags && form === 'details' ? lastAnswers.of(known, distinctId) : null
  const answer = (found: Awaited<typeof stored>): string => {
    const subject = {
      distinctId,
      anonDistinctId: asker.anonDistinctId,
      groups: asker.groups,
      deviceId: idIn(body.device_id ?? body.$device_id ?? personProperties.$device_id),
      personProperties,
      groupProperties: objectIn(body, 'group_properties', '$group_properties') as Record<string, JsonObject>,
      stored: found,
      now,
    }
    const decisions = evaluateFlags(known, subject, chosen, last ?? undefined)
    return finish(last ? lastAnswers.fieldsOf(last, distinctId, decisions) : flagFields(decisions, form))
  }
  return stored instanceof Promise ? stored.then(answer) : answer(stored)
}

/** Without a version and without `config`: everything that any version would want. */
function formOfFlags(query: URLSearchParams): AnswerForm {
  const version = query.get('v')
  if (version === null || version === '') return query.has('config') ? 'values' : 'everything'
  return Number(version) >= 2 ? 'details' : 'values'
}

function formOfDecide(query: URLSearchParams): AnswerForm {
  const version = Number(query.get('v') ?? 1)
  if (version >= 4) return 'everything'
  return version >= 3 ? 'values' : version >= 2 ? 'enabled' : 'list'
}

function hasConfig(path: FlagQuestion['path'], query: URLSearchParams): boolean {
  return path === '/decide' || isYes(query.get('config')) || !(query.has('config') || query.has('v'))
}

/** The fields of the configuration, without their braces. */
function configFields(path: FlagQuestion['path'], project: ProjectSettings, known: ProjectFlags | undefined): string {
  const config = remoteConfig(project, known)
  const decide = { config: { enable_collect_everything: !project.autocaptureOptOut }, editorParams: {} }
  return asciiJson(JSON.stringify(path === '/decide' ? { ...config, ...decide } : config).slice(1, -1))
}

const isYes = (given: string | null): boolean => given === 'true' || given === '1' || given === 'True'

/** Absent or only spaces: null. Empty text is an id here: nobody in particular. */
function distinctIdIn(body: JsonObject): string | null {
  if ((body.distinct_id ?? body.$distinct_id) === '') return ''
  const found = distinctIdOf(body, {})
  return found.ok ? found.value : null
}

function idText(sent: string | number): string {
  const text = typeof sent === 'string' ? (exactDigits(sent) ?? plainText(sent)) : String(sent)
  return cutTo(storable(text), LIMITS.distinctIdCharacters)
}

const idIn = (sent: Json | undefined): string | undefined => {
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined
  const text = idText(sent)
  return text === '' ? undefined : text
}

function objectIn(body: JsonObject, ...names: readonly string[]): JsonObject {
  for (const name of names) {
    const given = body[name]
    if (isObject(given)) return given
  }
  return {}
}

const textsIn = (given: Json | undefined): string[] | null =>
  Array.isArray(given) ? given.filter((each) => typeof each === 'string') : null

const NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g

/** JSON, and the numbers that JSON does not have: some SDKs send them, and they count as null. */
export function parseQuestion(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    try {
      return parseJson(text.replace(NO_NUMBER, (token) => (token.startsWith('"') ? token : 'null')))
    } catch {
      throw new ApiError('parse_error', `JSON parse error: ${(error as Error).message}`)
    }
  }
}
