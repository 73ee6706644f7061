import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = process.env.FOOTFALL_URL ?? 'http://127.0.0.1:8000'

/** Paths of the service itself: in development they go to the one that runs. */
const proxied = [
  '/api',
  '/i',
  '/batch',
  '/e',
  '/capture',
  '/decide',
  '/flags',
  '/array',
  '/static',
  '/_health',
  '/_ready',
  '/metrics',
]

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    // Everything is a file of its own: the content security policy allows no inlined scripts, and small files cost
    // nothing over one connection.
    assetsInlineLimit: 0,
    // Modules of ours do nothing by being imported: what is not used of a feature's index.ts stays out of the
    // importer's file.
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /\/web\/src\/.+\.tsx?$/, sideEffects: false }] } },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(proxied.map((path) => [`^${path}(/|$)`, { target: service, changeOrigin: false }])),
  },
})
