// Print what a first visit downloads (entry, its static imports, a language, the heaviest page, styles); fail above the limit,
// and when chunks import each other in turn: then one of them runs before what it needs, and its pages do not open.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT_BYTES = 180 * 1024
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('manifest.json', dist), 'utf8'))

const packed = (file) => gzipSync(readFileSync(new URL(file, dist))).length

/** Every file that loads with the chunk `key`, the chunk itself included. */
function filesOf(key, seen = new Set()) {
    const chunk = manifest[key]
    if (!chunk || seen.has(chunk.file)) return seen
    seen.add(chunk.file)
    for (const style of chunk.css ?? []) seen.add(style)
    for (const next of chunk.imports ?? []) filesOf(next, seen)
    return seen
}

/** A chain of chunks that leads back to its first one; null when there is none. */
function cycle(key, path = [], done = new Set()) {
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key]
    if (done.has(key)) return null
    for (const next of manifest[key]?.imports ?? []) {
        const chain = cycle(next, [...path, key], done)
        if (chain) return chain
    }
    done.add(key)
    return null
}

const done = new Set()
for (const key of Object.keys(manifest)) {
    const chain = cycle(key, [], done)
    if (!chain) continue
    console.error(`Chunks import each other: ${chain.join(' -> ')}. See codeSplitting in vite.config.ts.`)
    process.exit(1)
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
const size = (files) => [...files].reduce((sum, file) => sum + packed(file), 0)
const first = filesOf(entry)
first.add('index.html')
const isWords = (key) => key.startsWith('src/i18n/')
const pages = manifest[entry].dynamicImports ?? []
const rows = pages.map((key) => [key, size([...filesOf(key)].filter((file) => !first.has(file)))])
rows.sort((a, b) => b[1] - a[1])

const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`
const base = size(first)
const heaviest = (isIncluded) => rows.find(([key]) => isIncluded(key))?.[1] ?? 0
const worst = base + heaviest(isWords) + heaviest((key) => !isWords(key))
console.log(`first load, gzipped: shell ${kb(base)}`)
for (const [key, bytes] of rows) console.log(`  + ${key}: ${kb(bytes)}`)
console.log(`  heaviest first page: ${kb(worst)} (limit ${kb(LIMIT_BYTES)})`)
if (worst > LIMIT_BYTES) {
    console.error('The first load is too heavy.')
    process.exit(1)
}
