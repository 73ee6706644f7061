export { LiveExchange } from './exchange.ts'
export { LiveHub, type Watcher } from './hub.ts'
export { streamEvents } from './stream.ts'
