// `npm run dev`: the web app from its sources, with changes shown at once. The service runs beside it (`npm start`, or FOOTFALL_URL).
import { spawn } from 'node:child_process'
import { installIfNeeded, root } from './prepare.mjs'

installIfNeeded()
const child = spawn(process.execPath, ['node_modules/vite/bin/vite.js', '--config', 'web/vite.config.ts'], {
  cwd: root,
  stdio: 'inherit',
})
child.on('exit', (code) => process.exit(code ?? 0))
