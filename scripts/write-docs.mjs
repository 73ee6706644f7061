// Writes the pages of docs/ that are made from source. Needs a build: `npm run build` or any `npm start`.
import { writeFileSync } from 'node:fs'
import { errorsPage } from '../dist/http/errors-page.js'
import { dependenciesPage } from './dependencies-page.mjs'

writeFileSync(new URL('../docs/ERRORS.md', import.meta.url), errorsPage())
writeFileSync(new URL('../docs/DEPENDENCIES.md', import.meta.url), dependenciesPage())
