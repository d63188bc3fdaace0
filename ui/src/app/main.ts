import '@/base/styles/tokens.css'
import '@/base/styles/base.css'
import { createApp } from 'vue'
import { startLive } from '@/base/api/live'
import { loadWords } from '@/i18n'
import App from './App.vue'
import { router } from './router'

void loadWords('page').then(() => {
  createApp(App).use(router).mount('#app')
  startLive()
})
