/** Light or dark, and the colours that charts take from it. */

import { computed, ref, shallowRef, watch } from 'vue'
import { PALETTE_SIZE } from './palette'

export interface ChartColours {
  readonly surface: string
  readonly text: string
  readonly grid: string
  readonly axis: string
  readonly danger: string
  readonly accent: string
  readonly series: readonly string[]
  readonly font: string
}

export type Theme = 'light' | 'dark' | 'auto'

const KEY = 'mi-theme'
const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark' || text === 'auto'

function initial(): Theme {
  const requested = new URLSearchParams(location.search).get('theme')
  if (isTheme(requested)) return requested
  const stored = localStorage.getItem(KEY)
  return isTheme(stored) ? stored : 'auto'
}

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = ref(systemDark.matches)
systemDark.addEventListener('change', (event) => (isSystemDark.value = event.matches))

export const theme = ref<Theme>(initial())
export const isDark = computed(() => (theme.value === 'auto' ? isSystemDark.value : theme.value === 'dark'))

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen
  localStorage.setItem(KEY, chosen)
}

function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  return {
    surface: read('--surface'),
    text: read('--text-2'),
    grid: read('--chart-grid'),
    axis: read('--chart-axis'),
    danger: read('--danger'),
    accent: read('--accent'),
    series: Array.from({ length: PALETTE_SIZE }, (_, i) => read(`--series-${i}`)),
    font: read('--font'),
  }
}

/** The colours of the theme that is shown; changes as a whole when the theme does. */
export const chartColours = shallowRef<ChartColours>(readColours())

watch(
  isDark,
  (dark) => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
    chartColours.value = readColours()
  },
  { immediate: true, flush: 'sync' },
)
