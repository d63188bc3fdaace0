/** Files made in the page, handed to the browser to keep. */

/** A file name from a tag: what file systems dislike becomes an underscore. */
export function fileName(title: string, ending: string): string {
  const safe = title.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80) || 'chart'
  return `${safe}.${ending}`
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  saveUrl(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export function saveUrl(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}
