export { AddToPlaylist } from './add-to-playlist.tsx'
