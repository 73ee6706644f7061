export * from './playlists/counts.ts'
export * from './playlists/items.ts'
export * from './playlists/list.ts'
export * from './playlists/playlist.ts'
