export * from './partitions.ts'
export * from './port.ts'
