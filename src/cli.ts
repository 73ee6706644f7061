#!/usr/bin/env node
import { runCommand } from './cli/index.ts'

process.exitCode = await runCommand(process.argv.slice(2))
