import { beforeEach, expect, it, vi } from 'vitest'
import type { Component } from 'vue'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { chartColours } from '@/base/theme'
import { t } from '@/i18n'
import RowTooltip from './canvas/RowTooltip.vue'
import type { Curve } from './curve'
import type { Line } from './curves'
import DownloadMenu from './DownloadMenu.vue'
import DrawingTools from './graph/DrawingTools.vue'
import SidePanel from './graph/SidePanel.vue'
import LineChart from './line/LineChart.vue'
import LineTooltip from './line/LineTooltip.vue'
import type { ChartReading } from './line/chartReading'

beforeEach(() => layOut())

const inBody = (id: string): HTMLElement[] => [
  ...document.body.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`),
]

it('offers only what a card can be saved as, and closes after saving', async () => {
  const save = vi.fn()
  const menu = mountInPage(DownloadMenu, {
    props: { csvLabel: 'CSV', others: [{ testid: 'card-npy', label: 'NPY', save }] },
  })
  await byTestId(menu, 'card-download').trigger('click')
  expect(menu.findAll('.menu button').map((button) => button.text())).toEqual(['NPY', 'CSV'])

  await byTestId(menu, 'card-csv').trigger('click')
  expect(menu.emitted('csv')).toHaveLength(1)
  expect(byTestId(menu, 'card-csv').exists()).toBe(false)
  await byTestId(menu, 'card-download').trigger('click')
  await byTestId(menu, 'card-npy').trigger('click')
  expect(save).toHaveBeenCalledOnce()
})

it('zooms and fits the drawing that it belongs to', async () => {
  const stage = { fitAll: vi.fn(), zoomBy: vi.fn() }
  const tools = mountInPage(DrawingTools, {
    props: { stage, look: () => ({}), title: 'graph', isFull: true },
  })
  await byTestId(tools, 'zoom-in').trigger('click')
  await byTestId(tools, 'zoom-out').trigger('click')
  await byTestId(tools, 'fit-all').trigger('click')
  await byTestId(tools, 'graph-full').trigger('click')

  const [[zoomIn], [zoomOut]] = stage.zoomBy.mock.calls as [[number], [number]]
  expect(zoomIn).toBeGreaterThan(1)
  expect(zoomIn * zoomOut).toBeCloseTo(1) // in and out again leaves the drawing as it was
  expect(stage.fitAll).toHaveBeenCalledOnce()
  expect(tools.emitted('full')).toHaveLength(1)
  expect(byTestId(tools, 'graph-full').attributes('aria-label')).toBe(t.value.leaveFullScreen)
})

it('shows the first tab of a panel when a node is selected in the drawing', async () => {
  const panel = mountInPage(SidePanel as unknown as Component, {
    props: { titles: { node: 'Node', outline: 'Outline' }, chosen: null },
    slots: { node: '<p class="node" />', outline: '<p class="outline" />' },
  })
  await byTestId(panel, 'tab-outline').trigger('click')
  expect(panel.find('.outline').exists()).toBe(true)
  expect(panel.find('.node').exists()).toBe(false)

  await panel.setProps({ chosen: 'conv1' })
  expect(panel.find('.node').exists()).toBe(true)
  await byTestId(panel, 'side-toggle').trigger('click')
  expect(panel.find('[role=tabpanel]').exists()).toBe(false)
})

it('shows what a row holds beside the pointer, inside of the window', async () => {
  mountInPage(RowTooltip, {
    props: {
      title: 'mlp',
      entries: [{ label: 'lr', value: '0.1' }],
      clientX: 100,
      clientY: 100_000,
    },
  })
  await settle()
  const [tooltip] = inBody('row-tooltip')

  expect(tooltip!.textContent).toContain('lr0.1')
  expect(tooltip!.style.transform).toBe(`translate(114px, ${window.innerHeight - 8}px)`)
})

const curve = (values: readonly number[], steps = values.map((_, i) => 10 * i)): Curve => ({
  run: 'mlp',
  tag: 'loss',
  source: '',
  totalPoints: values.length,
  superseded: 0,
  hasSteps: true,
  downsampled: false,
  steps: Float64Array.from(steps),
  walls: Float64Array.from(steps, (step) => 1_700_000_000 + step),
  values: Float64Array.from(values),
  smoothed: null,
  starts: [0],
  startTime: 1_700_000_000,
})
const line = (name: string, values: readonly number[], steps?: number[]): Line => {
  const own = curve(values, steps)
  return {
    key: name,
    name,
    curve: own,
    colour: '#123456',
    dash: [],
    side: 'left',
    breaks: [],
    xs: own.steps,
    ys: own.values,
    isSmoothed: false,
    isOrdered: true,
  }
}
const reading = (lines: readonly Line[]): ChartReading => ({
  readings: lines.map((each, i) => ({
    line: each,
    point: 1,
    shown: each.ys[1]!,
    pixelX: 50,
    pixelY: 20 * i,
  })),
  x: 10,
  pointerY: 0,
  clientX: 50,
  frame: new DOMRect(0, 0, 300, 200),
  pointsIn: () => 0,
})
const rows = (): string[] => inBody('tooltip-row').map((row) => row.textContent ?? '')

it('reads the lines at a step, the largest value first, the nearest marked', async () => {
  mountInPage(LineTooltip, {
    props: { reading: reading([line('mlp', [3, 0.25]), line('cnn', [3, 0.5])]) },
  })
  await settle()

  expect(rows()).toEqual([expect.stringContaining('cnn0.5'), expect.stringContaining('mlp0.25')])
  expect(inBody('tooltip-row')[1]!.classList).toContain('nearest')
  expect(inBody('tooltip')[0]!.querySelector('th')!.textContent).toBe(`${t.value.step} 10`)
})

it('has a column of steps where lines are read at different ones', async () => {
  mountInPage(LineTooltip, {
    props: { reading: reading([line('mlp', [3, 0.25]), line('cnn', [3, 0.5], [0, 12])]) },
  })
  await settle()

  expect(inBody('tooltip')[0]!.querySelector('th')!.textContent).toBe(t.value.run)
  expect(rows()[0]).toContain('12')
})

it('counts lines that do not fit into the tooltip', async () => {
  const lines = Array.from({ length: 14 }, (_, i) => line(`run-${i}`, [0, i]))
  mountInPage(LineTooltip, { props: { reading: reading(lines) } })
  await settle()

  expect(rows()).toHaveLength(10)
  expect(inBody('tooltip')[0]!.textContent).toContain(t.value.andMore(4))
})

const chart = () =>
  mountInPage(LineChart, {
    props: {
      plot: {
        lines: [line('mlp', [3, 2, 1])],
        axis: 'step',
        box: null,
        isLog: false,
        ignoreOutliers: false,
        limits: { lower: null, upper: null },
        xLabel: 'step',
      },
      colours: chartColours.value,
      label: 'loss',
    },
  })
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(null)))

it('is read by arrow keys, from the end that one comes from', async () => {
  const wrapper = chart()
  await settle()
  await nextFrame()
  expect(wrapper.attributes()).toMatchObject({ role: 'img', 'aria-label': 'loss', tabindex: '0' })

  await wrapper.trigger('keydown', { key: 'ArrowLeft' })
  await wrapper.trigger('keydown', { key: 'ArrowRight' })
  const readings = wrapper.emitted('read')!.map(([reading]) => reading as ChartReading)
  expect(readings.map(({ x }) => x)).toEqual([20, 0])
  expect(readings.map(({ readings: [nearest] }) => nearest!.shown)).toEqual([1, 3])
})

it('zooms by keys, and goes back', async () => {
  const wrapper = chart()
  await settle()
  await nextFrame()
  await wrapper.trigger('keydown', { key: '+' })
  await wrapper.trigger('keydown', { key: '-' })
  await wrapper.trigger('keydown', { key: '0' })

  const [box] = wrapper.emitted('zoom')![0] as [{ x: [number, number] }]
  expect(box.x[0]).toBeGreaterThan(0)
  expect(box.x[1]).toBeLessThan(20)
  expect(wrapper.emitted('back')).toHaveLength(1)
  expect(wrapper.emitted('restore')).toHaveLength(1)
})
