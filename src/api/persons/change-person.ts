import { ApiError } from '../../http/errors.ts'
import { changeAndCopy, type Person, patchPersonProperties, personName } from '../../identity/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { type Change, noteActivities } from '../frame/activity.ts'
import type { ProjectCall } from '../frame/context.ts'

type Asked = Pick<ProjectCall, 'sql' | 'clickhouse' | 'log' | 'project' | 'caller'>

/** Sets and removes properties of a person at once, and answers with the person after the change. */
export async function changePerson(
  call: Asked,
  before: Person,
  changes: { readonly set?: JsonObject; readonly unset?: readonly string[] },
  activity: 'updated' | 'delete_property' = 'updated',
): Promise<Person> {
  const { project, caller } = call
  const changed = await changeAndCopy(call, async (tx) => {
    const done = await patchPersonProperties(tx, project.id, before.id, changes)
    if (!done) throw new ApiError('not_found')
    if (done.rows.persons.length > 0)
      await noteActivities(tx, [
        {
          project: project.id,
          caller,
          scope: 'Person',
          itemId: before.id,
          activity,
          name: personName(done.person, project.person_display_name_properties),
          changes: differences(before.properties, done.person.properties),
        },
      ])
    return { result: done.person, rows: done.rows }
  })
  return changed
}

function differences(before: JsonObject, after: JsonObject): Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const text = (value: Json | undefined) => JSON.stringify(value)
  return keys
    .filter((key) => text(before[key]) !== text(after[key]))
    .map((key) => ({
      type: 'Person',
      action: key in after ? (key in before ? 'changed' : 'created') : 'deleted',
      field: key,
      before: before[key] ?? null,
      after: after[key] ?? null,
    }))
}
