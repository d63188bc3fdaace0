/** The drawing of a sheet as a picture to be saved. */

import { chartColours } from '@/base/theme'
import type { Picture } from '@/plot/picture'
import { axisOf, type Brushes } from './axes/axisTable'
import { drawParallel, drawParallelTitles, layOutParallel, parallelParts } from './axes/parallel'
import { drawScatter, layOutScatter, scatterParts } from './axes/scatter'
import type { SheetBoard } from './useSheetBoard'

const WIDTH = 960
const AXIS_WIDTH = 120
const HEIGHT = 520

/** `results` is the group of columns that the others are plotted against. */
export function sheetPicture(
  { sheet, axes, mask, ticked, scales, colours }: SheetBoard,
  tab: 'parallel' | 'scatter',
  brushes: Brushes,
  results: string,
  title: string,
): Picture {
  const plain = {
    rows: sheet.value.rows.length,
    colours: colours.value.of,
    kept: mask.value,
    brushes,
    ticked: ticked.value,
  }
  const made = axes.value.map((column) => axisOf(column, scales.value.get(column.key)))
  const names = colours.value.names.map(({ name, colour }) => ({ name, colour, dash: [] }))
  if (tab === 'parallel') {
    return {
      title,
      width: Math.max(WIDTH, AXIS_WIDTH * made.length),
      height: HEIGHT,
      names,
      draw(pen, width, height) {
        const plot = { ...plain, axes: made, parts: parallelParts(made) }
        const layout = layOutParallel(made.length, width, height)
        drawParallel(pen, plot, layout, chartColours.value)
        drawParallelTitles(pen, plot, layout, chartColours.value)
      },
    }
  }
  const [across, down] = [false, true].map((isResult) =>
    made.filter((_, i) => (axes.value[i]!.group === results) === isResult),
  ) as [typeof made, typeof made]
  const layout = layOutScatter(across.length, down.length, WIDTH, HEIGHT + 40)
  return {
    title,
    width: layout.width + 16,
    height: layout.height + 60,
    names,
    draw(pen) {
      const plot = {
        ...plain,
        across,
        down,
        acrossParts: scatterParts(across),
        downParts: scatterParts(down),
      }
      drawScatter(
        pen,
        plot,
        layout,
        { x: 0, y: 0, width: layout.width, height: layout.height },
        chartColours.value,
      )
    },
  }
}
