/**
 * Copies to the clipboard. Browsers offer the clipboard API only over https and on localhost; elsewhere the old command
 * works.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (!done) throw new Error('The browser does not allow copying: select the text and copy it yourself.')
}
