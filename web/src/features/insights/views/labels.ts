const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}))?/

/** "3 Nov", with the hour where buckets are hours, "Nov 2026" where they are months. */
export function shortLabels(days: readonly string[]): string[] {
  const found = days.map((day) => FORM.exec(day))
  const months = days.length > 1 && found.every((parts) => parts?.[3] === '01') && new Set(days).size === days.length
  const hours = found.some((parts) => parts?.[4] !== undefined && `${parts[4]}${parts[5]}` !== '0000')
  return found.map((parts, index) => {
    if (!parts) return days[index] ?? ''
    const month = MONTHS[Number(parts[2]) - 1]
    if (months && !hours) return `${month} ${parts[1]}`
    const date = `${Number(parts[3])} ${month}`
    return hours ? `${date} ${parts[4]}:${parts[5]}` : date
  })
}

/** A table's columns need names of their own, even where two years meet in one range. */
export const uniqueLabels = (labels: readonly string[]): string[] =>
  labels.map((label, index) => (labels.indexOf(label) === index ? label : `${label} (${index + 1})`))
