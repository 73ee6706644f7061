/** Property filters back in the form clients send them. */
import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import type { PropertiesAnswer, PropertyGroupAnswer, PropertyItemAnswer } from '../../contract/results/index.ts'

export function propertiesOnWire(group: PropertyGroup): PropertiesAnswer {
  if (group.values.length === 0) return []
  if (group.type === 'AND' && group.values.every((value) => value.kind === 'property'))
    return group.values.map(itemOnWire)
  return groupOnWire(group)
}

const groupOnWire = (group: PropertyGroup): PropertyGroupAnswer => ({
  type: group.type,
  values: group.values.map((value) => (value.kind === 'group' ? groupOnWire(value) : itemOnWire(value))),
})

const itemOnWire = ({ key, type, operator, values, group_type_index }: PropertyFilter): PropertyItemAnswer => ({
  key,
  type,
  operator,
  ...(values.length > 0 && { value: values.length === 1 ? (values[0] as string) : values }),
  ...(group_type_index !== undefined && { group_type_index }),
})
