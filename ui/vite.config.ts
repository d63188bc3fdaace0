import { fileURLToPath, URL } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

// The service under development; `npm run dev` forwards API calls to it.
const service = process.env.MINDINSIGHT_UI_SERVICE ?? 'http://127.0.0.1:8080'

export default defineConfig({
  // Relative, so that one build works below any url-path-prefix (the server injects <base>).
  base: './',
  plugins: [vue()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: { target: 'es2022', assetsInlineLimit: 0, manifest: 'manifest.json', modulePreload: { polyfill: false } },
  server: { proxy: { '/v1': service } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'] },
})
