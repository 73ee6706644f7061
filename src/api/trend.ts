import type { ApiRoutes } from './route.ts'

export function addTrendRoutes(_routes: ApiRoutes): void {}
