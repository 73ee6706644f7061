export { LiveExchange } from './exchange.ts'
export { LiveHub } from './hub.ts'
export { streamEvents } from './stream.ts'
