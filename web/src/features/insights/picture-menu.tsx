import type { RefObject } from 'react'
import { saveFile } from '../../lib/save-file.ts'
import type { ChartOption } from '../../ui/chart-options.ts'
import { Button } from '../../ui/controls.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'

/** The chart as a file. The code that draws it is loaded when it is asked for. */
export function PictureMenu({
  picture,
  name,
  about,
  disabled,
}: {
  picture: RefObject<(() => ChartOption) | null>
  name: string
  about: string
  disabled: boolean
}) {
  const save = async (kind: 'svg' | 'png') => {
    const option = picture.current?.()
    if (!option) return say('There is no chart to download: choose a display that draws one')
    try {
      const { pngOf, svgOf } = await import('../../ui/draw-picture.ts')
      const svg = svgOf(option, { title: name, about })
      saveFile(`${name}.${kind}`, kind === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg))
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <Menu
      label="Download the chart"
      align="right"
      width={180}
      trigger={(props) => (
        <Button small kind="quiet" icon="picture" disabled={disabled} {...props}>
          Picture
        </Button>
      )}
    >
      <MenuItem onClick={() => void save('png')}>PNG</MenuItem>
      <MenuItem onClick={() => void save('svg')}>SVG</MenuItem>
    </Menu>
  )
}
