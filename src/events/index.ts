export * from './captured.ts'
export * from './warnings.ts'
