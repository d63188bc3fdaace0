/** What a page has for a report: its cards and tables say so themselves, in the order in which they stand. */

import {
  getCurrentInstance,
  inject,
  onScopeDispose,
  provide,
  ref,
  shallowRef,
  watch,
  type InjectionKey,
} from 'vue'
import type { ReportPart } from './report'

interface Offer {
  /** Where it stands. */
  element(): Node | null
  /** Load what is not there yet, and give it. */
  give(): Promise<ReportPart>
}

export interface Collecting {
  /** All that is offered at the moment, one after the other. */
  collect(note: (done: number, all: number) => void): Promise<readonly ReportPart[]>
}

/** Of the page that is open, when there can be a report of it. */
export const openPage = shallowRef<Collecting | null>(null)

const OFFERS: InjectionKey<Set<Offer>> = Symbol('report')
/** A card that does not come within this time is left out. */
const LONGEST_MS = 30_000
const MOST_PARTS = 120

/** For pages: there can be a report of all that is offered below them; what is their own comes last. */
export function provideReport(own: () => ReportPart = () => ({})): void {
  const offers = new Set<Offer>()
  provide(OFFERS, offers)
  const page: Collecting = {
    async collect(note) {
      const standing = [...offers]
        .map((offer) => ({ offer, element: offer.element() }))
        .filter(({ element }) => element !== null)
      standing.sort((a, b) =>
        a.element!.compareDocumentPosition(b.element!) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
      )
      const chosen = standing.slice(0, MOST_PARTS)
      const parts: ReportPart[] = []
      for (const [at, { offer }] of chosen.entries()) {
        note(at, chosen.length)
        parts.push(await offer.give())
      }
      return [...parts, own()]
    },
  }
  openPage.value = page
  onScopeDispose(() => {
    // The next page may have come already.
    if (openPage.value === page) openPage.value = null
  })
}

/** For cards and tables: `isReady` says when `part` is complete; what loads only while it is in view also loads while `isWanted`. */
export function offerToReport(
  part: () => ReportPart,
  isReady: () => boolean = () => true,
): { readonly isWanted: () => boolean } {
  const offers = inject(OFFERS, null)
  const isWanted = ref(false)
  const instance = getCurrentInstance()
  if (!offers || !instance) return { isWanted: () => false }
  const offer: Offer = {
    element: () => instance.proxy?.$el as Node | null,
    async give() {
      isWanted.value = true
      await until(isReady)
      const content = part()
      isWanted.value = false
      return content
    },
  }
  offers.add(offer)
  onScopeDispose(() => offers.delete(offer))
  return { isWanted: () => isWanted.value }
}

function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LONGEST_MS)
    const stop = watch(condition, (is) => is && done(), { flush: 'post' })
    function done(): void {
      clearTimeout(timer)
      stop()
      resolve()
    }
    if (condition()) done()
  })
}
