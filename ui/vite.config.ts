import { fileURLToPath, URL } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

// The service under development; `npm run dev` forwards API calls to it.
const service = process.env.MINDINSIGHT_UI_SERVICE ?? 'http://127.0.0.1:8080'

const shortName = (name: string): string => (name.startsWith('shared') ? 'shared' : '[name]')

/** Modules that several pages share, by the pages that need them; below so many bytes with those that most of these need. */
const among = (bytes: number) => ({ minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: bytes })

export default defineConfig({
  // Relative, so that one build works below any url-path-prefix (the server injects <base>).
  base: './',
  plugins: [vue()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      '@testing': fileURLToPath(new URL('./testing', import.meta.url)),
    },
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Otherwise they are named after all the pages that share them.
        chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${shortName(name.replace(/\.[^.]*$/, ''))}-[hash][extname]`,
        codeSplitting: {
          groups: [
            // What several pages share comes in a few files: dozens of small ones take longer than a few bytes too many. Small parts are
            // joined to others of their layer only (priorities go down as imports do), so that no page loads another board's drawing.
            { name: 'start', tags: ['$initial'], priority: 4 },
            {
              name: 'shared',
              test: /[\\/]src[\\/](i18n[\\/]\w+\.ts|(base|kit|board)[\\/])|[\\/]src[\\/]plot[\\/]((canvas|line)[\\/])?[^\\/]+$/,
              ...among(2000),
              priority: 3,
            },
            {
              name: (id) => `shared-${/[\\/]plot[\\/](\w+)/.exec(id)?.[1] ?? 'scene'}`,
              test: /[\\/]src[\\/]plot[\\/](graph|histogram|scene)[\\/]|[\\/]node_modules[\\/]three[\\/]/,
              ...among(2000),
              priority: 2,
            },
            {
              name: (id) => `shared-${/[\\/]boards[\\/](\w+)/.exec(id)?.[1]}`,
              test: /[\\/]src[\\/]boards[\\/]/,
              ...among(4000),
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': service } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'], setupFiles: ['src/i18n/loadAllWords.ts'] },
})
