import { createContext, type ReactNode, type RefObject, useContext, useEffect, useRef } from 'react'
import type { ChartOption } from './chart-options.ts'

type Drawing = () => ChartOption

const Place = createContext<RefObject<Drawing | null> | null>(null)

/** Around a chart that can be downloaded: what is drawn inside says how, and `usePictureSource` finds it. */
export function PictureFrame({ source, children }: { source: RefObject<Drawing | null>; children: ReactNode }) {
  return <Place.Provider value={source}>{children}</Place.Provider>
}

export const usePictureSource = (): RefObject<Drawing | null> => useRef<Drawing | null>(null)

/** How this part of the page is drawn as a picture. Charts say so themselves. */
export function usePicture(drawing: Drawing): void {
  const place = useContext(Place)
  useEffect(() => {
    if (!place) return
    place.current = drawing
    return () => {
      if (place.current === drawing) place.current = null
    }
  }, [place, drawing])
}
