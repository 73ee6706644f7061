export * from './partitions.ts'
export * from './port.ts'
export * from './segments/index.ts'
