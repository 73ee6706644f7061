export * from './dashboards.ts'
export * from './insight.ts'
export * from './list.ts'
export * from './views.ts'
