/**
 * The fields of every table with their types, for documentation, the list beside the editor, information_schema and
 * DatabaseSchemaQuery. A test asks the engine for each of them.
 */
export type TableName =
  | 'events'
  | 'persons'
  | 'person_distinct_ids'
  | 'groups'
  | 'sessions'
  | 'session_replay_events'
  | 'cohort_people'
  | 'static_cohort_people'

export type FieldType = 'string' | 'integer' | 'float' | 'boolean' | 'datetime' | 'array' | 'json' | 'uuid'
export type FieldRow = readonly [
  name: string,
  type: FieldType,
  words: string,
  properties?: 'event' | 'person' | 'group',
]

export interface TableRow {
  readonly words: string
  readonly fields: readonly FieldRow[]
}

const WORKED_OUT: readonly FieldRow[] = [
  ['$virt_initial_channel_type', 'string', 'how the person first came, from its `$initial_*` properties'],
  [
    '$virt_initial_referring_domain_type',
    'string',
    'the kind of site it first came from: Search, Social and so on, or $direct; NULL when that is not known',
  ],
]

const OF_PERSON: readonly FieldRow[] = [
  ['person.id', 'uuid', 'its person'],
  ['person.created_at', 'datetime', 'when the person was first seen'],
  ['person.properties', 'json', 'properties of the person; `person.properties.plan` reads one', 'person'],
  ...WORKED_OUT.map(([name, type, words]): FieldRow => [`person.${name}`, type, words]),
]

export const TABLE_FIELDS: Readonly<Record<TableName, TableRow>> = {
  events: {
    words: 'What happened: a row for each event.',
    fields: [
      ['uuid', 'uuid', 'its id'],
      ['event', 'string', 'its name'],
      ['timestamp', 'datetime', 'when it happened, in the zone of the project'],
      ['distinct_id', 'string', 'who did it, as the client said'],
      ['person_id', 'uuid', 'the person that is today'],
      ['properties', 'json', 'its properties; `properties.$browser` reads one', 'event'],
      ...OF_PERSON.map(([name, type, words, of]): FieldRow => {
        const atTheTime = name === 'person.properties' ? 'properties of its person at that time' : words
        return of ? [name, type, atTheTime, of] : [name, type, atTheTime]
      }),
      ['created_at', 'datetime', 'when it arrived'],
      ['person_mode', 'string', 'full, propertyless or force_upgrade'],
      ['elements_chain', 'string', 'the clicked element and those around it'],
      ['elements_chain_href', 'string', 'the address it leads to'],
      ['elements_chain_texts', 'array', 'texts of the elements'],
      ['elements_chain_ids', 'array', 'ids of the elements'],
      ['elements_chain_elements', 'array', 'tags of the elements that can be clicked or filled in'],
      ['$session_id', 'string', 'its session'],
      ['$window_id', 'string', 'its window'],
      ['$group_0', 'string', 'the key of its group of the first type; up to $group_4'],
      ['group_0.key', 'string', 'the same; `group_0.properties.name` and `company.properties.name` read that group'],
      ['session.$session_duration', 'string', 'any field of its session'],
      ['pdi.person_id', 'uuid', 'person_distinct_ids, joined'],
      ['$virt_is_bot', 'boolean', 'whether `$raw_user_agent` names a program, or there is none'],
      ['$virt_bot_name', 'string', 'which program it names'],
      ['$virt_bot_operator', 'string', 'who runs that program'],
      ['$virt_traffic_type', 'string', 'Regular, Bot, AI Agent or Automation'],
      ['$virt_traffic_category', 'string', 'regular, search_crawler, ai_crawler and so on; no_user_agent'],
    ],
  },
  persons: {
    words: 'Current persons.',
    fields: [
      ['id', 'uuid', 'its id'],
      ['created_at', 'datetime', 'when it was first seen'],
      ['properties', 'json', 'current properties', 'person'],
      ['is_identified', 'boolean', 'whether it was identified'],
      ...WORKED_OUT,
      ['pdi.distinct_id', 'string', 'its distinct ids: a row for each'],
    ],
  },
  person_distinct_ids: {
    words: 'Which person a distinct id belongs to, as far as it has events.',
    fields: [['distinct_id', 'string', 'the id'], ['person_id', 'uuid', 'the person'], ...OF_PERSON],
  },
  groups: {
    words: 'Current groups.',
    fields: [
      ['index', 'integer', 'which type of group, 0 to 4'],
      ['key', 'string', 'its key'],
      ['created_at', 'datetime', 'when it was first seen'],
      ['updated_at', 'datetime', 'the same'],
      ['properties', 'json', 'current properties', 'group'],
    ],
  },
  sessions: {
    words: 'Sessions, put together from their events.',
    fields: [
      ['session_id', 'string', 'its id'],
      ['id', 'string', 'the same'],
      ['distinct_id', 'string', 'who it is of'],
      ['$start_timestamp', 'datetime', 'its first event'],
      ['$end_timestamp', 'datetime', 'its last event'],
      ['$session_duration', 'integer', 'seconds between them'],
      ['duration', 'integer', 'the same'],
      ['$num_uniq_urls', 'integer', 'how many addresses were seen'],
      ['$urls', 'array', 'up to 1000 of them'],
      ['$entry_current_url', 'string', 'the first address'],
      ['$entry_pathname', 'string', 'the first path'],
      ['$entry_hostname', 'string', 'the first host'],
      ['$end_current_url', 'string', 'the last address'],
      ['$end_pathname', 'string', 'the last path'],
      ['$end_hostname', 'string', 'the last host'],
      ['$exit_current_url', 'string', 'the same as $end_current_url'],
      ['$exit_pathname', 'string', 'the same as $end_pathname'],
      ['$last_external_click_url', 'string', 'the last address of another site that was clicked'],
      ['$entry_referrer', 'string', 'where it came from'],
      ['$entry_referring_domain', 'string', 'the domain it came from'],
      ['$entry_utm_source', 'string', 'utm_source of the first address'],
      ['$entry_utm_campaign', 'string', 'utm_campaign of the first address'],
      ['$entry_utm_medium', 'string', 'utm_medium of the first address'],
      ['$entry_utm_term', 'string', 'utm_term of the first address'],
      ['$entry_utm_content', 'string', 'utm_content of the first address'],
      ['$entry_gclid', 'string', 'the id of a click on an ad'],
      ['$entry_gad_source', 'string', 'which kind of ad of Google that was'],
      ['$entry_fbclid', 'string', 'the id of a click on Facebook'],
      ['$entry_msclkid', 'string', 'the id of a click on an ad of Microsoft'],
      ['$pageview_count', 'integer', 'pages seen'],
      ['$autocapture_count', 'integer', 'clicks and inputs'],
      ['$screen_count', 'integer', 'screens seen'],
      ['$channel_type', 'string', 'how it came: Direct, Organic Search, Paid Social and so on'],
      ['$is_bot', 'boolean', 'whether a program made it'],
      ['$bot_reason', 'string', 'how that is known: ua, headless or datacenter'],
      ['$is_bounce', 'boolean', 'whether one page was seen and nothing done; NULL without a page'],
      [
        '$vitals_lcp',
        'float',
        'milliseconds until the largest part of its first page was painted; NULL when not measured',
      ],
      ['$browser', 'string', 'the browser'],
      ['$os', 'string', 'the system'],
      ['$device_type', 'string', 'Desktop, Mobile or Tablet'],
      ['$viewport', 'string', 'width and height of the window'],
      ['$browser_language', 'string', 'the language of the browser'],
      ['$timezone', 'string', 'the zone of the browser'],
      ['$geoip_country_code', 'string', 'the country'],
      ['$geoip_subdivision_1_code', 'string', 'the region'],
      ['$geoip_subdivision_1_name', 'string', 'its name'],
      ['$geoip_city_name', 'string', 'the city'],
    ],
  },
  session_replay_events: {
    words: 'Session recordings.',
    fields: [
      ['session_id', 'string', 'its session'],
      ['distinct_id', 'string', 'who was recorded'],
      ['start_time', 'datetime', 'its first moment'],
      ['min_first_timestamp', 'datetime', 'the same'],
      ['end_time', 'datetime', 'its last moment'],
      ['max_last_timestamp', 'datetime', 'the same'],
      ['duration', 'integer', 'seconds between them'],
      ['first_url', 'string', 'the first address'],
      ['click_count', 'integer', 'clicks'],
      ['keypress_count', 'integer', 'keys'],
      ['mouse_activity_count', 'integer', 'whatever the mouse did'],
      ['active_milliseconds', 'integer', 'how long something was done'],
      ['console_log_count', 'integer', 'lines of the console'],
      ['console_warn_count', 'integer', 'warnings'],
      ['console_error_count', 'integer', 'errors'],
      ['size', 'integer', 'bytes'],
      ['event_count', 'integer', 'recorded changes'],
      ['message_count', 'integer', 'the same'],
      ['snapshot_source', 'string', 'web or mobile'],
      ['snapshot_library', 'string', 'the SDK that recorded it'],
      ...OF_PERSON,
    ],
  },
  cohort_people: {
    words: 'Who is in a cohort right now.',
    fields: [['cohort_id', 'integer', 'the cohort'], ['person_id', 'uuid', 'the person'], ...OF_PERSON],
  },
  static_cohort_people: {
    words: 'Who was put into a static cohort.',
    fields: [['cohort_id', 'integer', 'the cohort'], ['person_id', 'uuid', 'the person'], ...OF_PERSON],
  },
}
