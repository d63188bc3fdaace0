import { createRouter, createWebHistory } from 'vue-router'
import { urlPathPrefix } from '@/api/client'

export const router = createRouter({
  history: createWebHistory(`${urlPathPrefix}/`),
  routes: [
    { path: '/', redirect: '/runs' },
    { path: '/runs', name: 'runs', component: () => import('@/pages/RunsPage.vue') },
    { path: '/runs/:run', name: 'run', component: () => import('@/pages/RunPage.vue'), props: true },
    { path: '/runs/:run/scalars', name: 'run-scalars', component: () => import('@/pages/ScalarsPage.vue'), props: true },
    { path: '/scalars', name: 'scalars', component: () => import('@/pages/ScalarsPage.vue') },
    { path: '/runs/:run/images', name: 'run-images', component: () => import('@/pages/ImagesPage.vue'), props: true },
    { path: '/images', name: 'images', component: () => import('@/pages/ImagesPage.vue') },
    { path: '/runs/:run/histograms', name: 'run-histograms', component: () => import('@/pages/HistogramsPage.vue'), props: true },
    { path: '/histograms', name: 'histograms', component: () => import('@/pages/HistogramsPage.vue') },
    { path: '/service', name: 'service', component: () => import('@/pages/ServicePage.vue') },
    { path: '/:rest(.*)*', name: 'not-found', component: () => import('@/pages/NotFoundPage.vue') },
  ],
})
