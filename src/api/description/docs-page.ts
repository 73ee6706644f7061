import type { ApiDescription } from './describe.ts'

interface Operation {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly 'x-scope'?: string
  readonly parameters?: readonly {
    name: string
    in: string
    required: boolean
    schema: { type?: unknown; enum?: unknown[] }
  }[]
  readonly requestBody?: object
  readonly responses: Record<string, { description: string }>
}

/** The description as a page for people: no script, nothing from elsewhere. */
export function docsPage(description: ApiDescription): string {
  const groups = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(description.paths))
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      const tag = operation.tags?.[0] ?? 'other'
      groups.set(tag, [...(groups.get(tag) ?? []), section(method.toUpperCase(), path, operation)])
    }
  const tags = [...groups.keys()].sort()
  const links = tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(' ')
  const sections = tags
    .map((tag) => `<h2 id="${escaped(tag)}">${escaped(tag)}</h2>${groups.get(tag)?.join('')}`)
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Footfall API</title><style>${STYLE}</style></head>
<body><main><h1>Footfall API</h1><p>${escaped(description.info.description)}</p>
<p>Send a personal API key as <code>Authorization: Bearer phx_...</code>. The same as data: <a href="/api/schema/">/api/schema/</a>.</p>
<nav aria-label="Resources">${links}</nav>${sections}</main></body></html>`
}

function section(method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? [])
    .map(({ name, in: where, required, schema }) => {
      const kind = schema.enum ? schema.enum.join(' | ') : String(schema.type ?? '')
      return `<tr><td><code>${escaped(name)}</code></td><td>${where}${required ? ', required' : ''}</td><td>${escaped(kind)}</td></tr>`
    })
    .join('')
  const statuses = Object.entries(operation.responses)
    .map(([status, { description }]) => `<li><code>${status}</code> ${escaped(description)}</li>`)
    .join('')
  const body = operation.requestBody
    ? `<details><summary>Body</summary><pre>${escaped(JSON.stringify(operation.requestBody, null, 2))}</pre></details>`
    : ''
  return `<section><h3><span class="${method}">${method}</span> <code>${escaped(path)}</code></h3><p>${escaped(operation.summary ?? '')}${
    operation['x-scope'] ? ` <em>scope <code>${escaped(operation['x-scope'])}</code></em>` : ''
  }</p>${parameters ? `<table>${parameters}</table>` : ''}${body}<ul>${statuses}</ul></section>`
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#fff}main{max-width:60rem;margin:0 auto;padding:1.5rem}
code,pre{font:14px ui-monospace,monospace}section{border-top:1px solid #d5d9de;padding:.5rem 0}h3{margin:.5rem 0;font-size:1rem;overflow-wrap:anywhere}
nav a{display:inline-block;margin:.2rem .6rem .2rem 0}td{padding:.1rem 1rem .1rem 0;vertical-align:top}pre{overflow:auto;background:#f5f6f8;padding:.75rem}
h3 span{display:inline-block;min-width:4.5rem;font-weight:700}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#14171a}a{color:#8ab4ff}pre{background:#1e2227}section{border-color:#333940}}`
