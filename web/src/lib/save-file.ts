/** Gives the browser something to save; what a file system may not like in its name becomes a dash. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[^\w.-]+/g, '-')
  link.click()
  URL.revokeObjectURL(url)
}
