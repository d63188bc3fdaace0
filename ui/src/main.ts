import './styles/tokens.css'
import './styles/base.css'
import { createApp } from 'vue'
import App from './App.vue'
import { router } from './router'
import { startLive } from './state/live'

createApp(App).use(router).mount('#app')
startLive()
