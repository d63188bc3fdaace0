import { watch } from 'vue'
import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { urlPathPrefix } from '@/base/api/client'
import { checkConnection, live } from '@/base/api/live'
import { locationAt } from '@/base/url/useView'
import { BOARDS, OVERVIEWS, type Board, type Label, type OverviewPath } from '@/board/registry'
import { fromComparison } from '@/boards/workspace/scalars/fromComparison'
import { t } from '@/i18n'
import { showToast } from '@/kit/toast'
import { OLD_PAGES, presentAddress } from './savedViews/oldAddresses'
import { PAGES } from './pages'

declare module 'vue-router' {
  interface RouteMeta {
    /** What the page is called. */
    label?: Label
  }
}

function routesOf({ name, label, isOfOneRun }: Board): readonly RouteRecordRaw[] {
  const ofOne: RouteRecordRaw = {
    path: `/runs/:run/${name}`,
    name: `run-${name}`,
    component: PAGES[name],
    props: true,
    meta: { label },
  }
  return isOfOneRun ? [ofOne] : [ofOne, { path: `/${name}`, name, component: PAGES[name], meta: { label } }]
}

export const router = createRouter({
  history: createWebHistory(`${urlPathPrefix}/`),
  routes: [
    { path: '/', redirect: '/runs' },
    { path: '/runs', name: 'runs', component: () => import('@/boards/workspace/runs/RunsPage.vue') },
    {
      path: '/runs/:run',
      name: 'run',
      component: () => import('./run/RunPage.vue'),
      props: true,
      meta: { label: 'dashboard' },
    },
    { path: '/runs/:run/dashboard', redirect: ({ params }) => ({ name: 'run', params }) },
    // The comparison of 0.1.0 is a part of the curve workspace; so are views that were saved of it.
    {
      path: '/compare',
      redirect: ({ fullPath }) => {
        const [, query = '', hash = ''] = /^[^?#]*\??([^#]*)#?(.*)$/.exec(fullPath)!
        return locationAt('/scalars', { query: fromComparison(query), hash: fromComparison(hash) })
      },
    },
    // Tables of their own of 0.1.0 are column sets of the runs table; so are views that were saved of them.
    ...OLD_PAGES.map(({ path, label }): RouteRecordRaw => ({
      path,
      redirect: ({ fullPath }) => presentAddress(fullPath),
      meta: { label },
    })),
    ...OVERVIEWS.flatMap(({ to, label }): RouteRecordRaw[] =>
      to in PAGES ? [{ path: to, component: PAGES[to as OverviewPath], meta: { label } }] : [],
    ),
    ...BOARDS.flatMap(routesOf),
    { path: '/views/:view', component: () => import('./savedViews/SavedViewPage.vue'), props: true },
    {
      path: '/service',
      name: 'service',
      component: () => import('./ServicePage.vue'),
      meta: { label: 'service' },
    },
    { path: '/:rest(.*)*', name: 'not-found', component: () => import('./NotFoundPage.vue') },
  ],
})

/**
 * A page that cannot be loaded, as the server is gone or newer than this page: that is said, and it opens as soon as
 * there is a server. By its address, since a browser may remember that a module was missing.
 */
router.onError((_error, to) => {
  const { href } = router.resolve(to)
  const stop = watch(
    () => live.state.value,
    (state) => {
      if (state !== 'live') return
      stop()
      location.assign(href)
    },
  )
  showToast({ text: t.value.offlineNote })
  checkConnection()
})
