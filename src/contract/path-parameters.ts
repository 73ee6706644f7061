/** What the parameters in paths are. They are read by the handlers, which answer 404 for what is not there. */
import { z } from 'zod'

const number = z.int().min(1)
const text = z.string()
const uuid = z.guid()

export const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  project_id: z
    .union([number, z.literal('@current')])
    .meta({ description: 'The id of a project; @current: the first.' }),
  organization_id: text.meta({ description: 'The uuid or the slug of an organisation; @current: the first.' }),
  id: text,
  person_id: text.meta({ description: 'The number or the uuid of a person.' }),
  event_id: uuid,
  insight_id: text.meta({ description: 'The number or the short id of an insight.' }),
  short_id: text,
  feature_flag_id: text.meta({ description: 'The id or the key of a feature flag.' }),
  feature_flag_key: text,
  version_number: number,
  experiment_id: number,
  early_access_feature_id: uuid,
  scheduled_change_id: number,
  dashboard_id: number,
  cohort_id: number,
  action_id: number,
  annotation_id: number,
  share_id: number,
  session_recording_id: text,
  session_id: uuid,
  query_id: text,
  key_id: text,
  user_uuid: text.meta({ description: 'The uuid of a member; @me: the caller.' }),
  invite_id: uuid,
  token: text,
}
