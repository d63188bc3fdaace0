/** The colours of graphs in the theme that is shown. */

import { computed } from 'vue'
import { chartColours } from '@/base/theme'
import type { GraphColours } from './drawGraph'

export const graphColours = computed<GraphColours>(() => {
  const { series, font } = chartColours.value // changes with the theme
  const style = getComputedStyle(document.documentElement)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  return {
    background: read('--bg'),
    surface: read('--surface'),
    raised: read('--surface-2'),
    raisedMore: read('--surface-3'),
    border: read('--border-strong'),
    line: read('--border-strong'),
    text: read('--text'),
    muted: read('--text-2'),
    accent: read('--accent'),
    accentSoft: read('--accent-soft'),
    parameter: read('--warn-soft'),
    series,
    font,
  }
})
