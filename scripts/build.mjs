import { buildIfNeeded, installIfNeeded } from './prepare.mjs'

installIfNeeded()
buildIfNeeded()
