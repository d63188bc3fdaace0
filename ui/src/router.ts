import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { urlPathPrefix } from '@/api/client'
import { BOARDS, OVERVIEWS, type Board, type Label } from '@/pages/boards'

declare module 'vue-router' {
  interface RouteMeta {
    /** What the page is called. */
    label?: Label
  }
}

function routesOf({ name, label, page, isOfOneRun }: Board): readonly RouteRecordRaw[] {
  const ofOne: RouteRecordRaw = { path: `/runs/:run/${name}`, name: `run-${name}`, component: page, props: true, meta: { label } }
  return isOfOneRun ? [ofOne] : [ofOne, { path: `/${name}`, name, component: page, meta: { label } }]
}

export const router = createRouter({
  history: createWebHistory(`${urlPathPrefix}/`),
  routes: [
    { path: '/', redirect: '/runs' },
    { path: '/runs', name: 'runs', component: () => import('@/pages/RunsPage.vue') },
    { path: '/runs/:run', name: 'run', component: () => import('@/pages/RunPage.vue'), props: true, meta: { label: 'details' } },
    ...OVERVIEWS.map(({ path, label, page, props }): RouteRecordRaw => ({ path, component: page, props: props ? { ...props } : {}, meta: { label } })),
    ...BOARDS.flatMap(routesOf),
    { path: '/lineage/why', name: 'why', component: () => import('@/pages/WhyPage.vue'), meta: { label: 'whyPage' } },
    { path: '/views/:view', component: () => import('@/pages/SavedViewPage.vue'), props: true },
    { path: '/service', name: 'service', component: () => import('@/pages/ServicePage.vue'), meta: { label: 'service' } },
    { path: '/:rest(.*)*', name: 'not-found', component: () => import('@/pages/NotFoundPage.vue') },
  ],
})
