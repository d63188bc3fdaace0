import { fileURLToPath, URL } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

// The service under development; `npm run dev` forwards API calls to it.
const service = process.env.MINDINSIGHT_UI_SERVICE ?? 'http://127.0.0.1:8080'

const shortName = (name: string): string => (name.startsWith('shared') ? 'shared' : '[name]')

export default defineConfig({
  // Relative, so that one build works below any url-path-prefix (the server injects <base>).
  base: './',
  plugins: [vue()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2022', assetsInlineLimit: 0, manifest: 'manifest.json', modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Otherwise they are named after all the pages that share them.
        chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) => `assets/${shortName(name.replace(/\.[^.]*$/, ''))}-[hash][extname]`,
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            // What several pages share comes in a few files: dozens of small ones take longer than a few bytes too many.
            { name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 20_000, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': service } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'] },
})
