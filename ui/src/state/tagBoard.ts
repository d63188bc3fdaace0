/** What the boards of tags have in common: runs to choose, tags to tick and pin, groups to fold, cards to enlarge. */

import { computed, type ComputedRef, type Ref } from 'vue'
import { t } from '@/i18n'
import { hasAnyOf, useChosenRuns, type ChosenRuns } from './chosenRuns'
import { useCommands, type Command } from './commands'
import { useFolding, type Folding } from './folding'
import { groupTags, type TagGroup } from './groups'
import { useItemTags, type ItemTag, type TagSource } from './itemTags'
import { filterOf } from './pattern'
import { isBoolean, remembered } from './remembered'
import { toggled, type TagView } from './tagView'
import type { ViewState } from './useView'

/** What a board has to know of a tag. */
export interface BoardTag {
  readonly tag: string
  /** The runs that have it, in the order in which they were chosen. */
  readonly runs: readonly string[]
  readonly lastStep: number
}

/** What every card of a board is given. */
export interface CardProps {
  readonly tag: string
  readonly runs: readonly string[]
  readonly runNames: ReadonlyMap<string, string>
  readonly dashes: ReadonlyMap<string, number>
  readonly isFull: boolean
  readonly isPinned: boolean
}

/** What every card can ask for. */
export interface CardEvents {
  full: []
  pin: []
}

export interface CardHandlers extends CardProps {
  onFull(): void
  onPin(): void
}

export interface TagBoardOptions<K extends string, T extends BoardTag> {
  /** The counts of a run that make it one for this board. */
  readonly kinds: readonly K[]
  /** So many of the newest runs are where the board begins. */
  readonly atFirst: number
  /** Where the tags come from, when not from the tag lists of the runs. */
  readonly source?: (runs: () => readonly string[]) => TagSource<T>
  /** How tags are put in groups, when not by what they begin with. */
  readonly grouping?: (items: readonly T[]) => readonly TagGroup[]
  /** Which groups are folded until somebody opens them. */
  readonly startsFolded?: (prefix: string) => boolean
}

export interface TagBoard<T extends BoardTag> {
  readonly run: ComputedRef<string | null>
  readonly state: ViewState<TagView>
  readonly choice: ChosenRuns
  readonly source: TagSource<T>
  readonly byName: ComputedRef<ReadonlyMap<string, T>>
  readonly allTags: ComputedRef<readonly string[]>
  readonly shownTags: ComputedRef<readonly string[]>
  readonly pins: ComputedRef<readonly string[]>
  /** The shown tags that are not pinned. */
  readonly groups: ComputedRef<readonly TagGroup[]>
  readonly folding: Folding
  readonly hasLists: Ref<boolean>
  /** The last step of all tags. */
  readonly newest: ComputedRef<number>
  /** Whether it is certain that the chosen runs have nothing for this board. */
  readonly hasNothing: ComputedRef<boolean>
  /** Whether a card in full screen lies over the board. */
  readonly isCovered: ComputedRef<boolean>
  card(tag: string): CardHandlers
}

/** `run` is the one of the address, or null on a board of several. */
export function useTagBoard<V extends TagView, K extends string, T extends BoardTag = ItemTag<K>>(
  run: () => string | null, state: ViewState<V>, { kinds, atFirst, source: sourceOf, grouping, startsFolded }: TagBoardOptions<K, T>,
): TagBoard<T> {
  const { view } = state
  // Of a view, only what every board has is touched here.
  const own = state as unknown as ViewState<TagView>
  const choice = useChosenRuns(run, state, { kinds, atFirst })
  const { runs, info } = choice
  const having = computed(() => runs.value.filter((id) => hasAnyOf(info.runs.value.get(id)!, kinds)))
  const source = sourceOf ? sourceOf(() => having.value) : (useItemTags(() => having.value, kinds) as unknown as TagSource<T>)

  const byName = computed(() => new Map(source.tags.value.map((item) => [item.tag, item])))
  const groupsOf = (tags: readonly string[]): readonly TagGroup[] => (grouping ? grouping(tags.map((tag) => byName.value.get(tag)!)) : groupTags(tags))
  const allTags = computed(() => groupsOf([...byName.value.keys()]).flatMap(({ tags }) => tags))
  const shownTags = computed(() => {
    const { matches } = filterOf(view.value.tagFilter)
    const ticked = view.value.tags === null ? null : new Set(view.value.tags)
    return allTags.value.filter((tag) => matches(tag) && (ticked === null || ticked.has(tag)))
  })
  const pins = computed(() => view.value.pins.filter((tag) => byName.value.has(tag)))
  const groups = computed(() => {
    const pinned = new Set(view.value.pins)
    return groupsOf(shownTags.value.filter((tag) => !pinned.has(tag)))
  })
  const hasLists = remembered('mi-lists', true, isBoolean)

  useCommands(() => [
    ...allTags.value.map((tag): Command => ({ id: `tag:${tag}`, kind: 'tag', label: tag, run: () => own.update({ tagFilter: '', tags: null, full: tag }) })),
    { id: 'lists', kind: 'command', label: hasLists.value ? t.value.hideLists : t.value.showLists, keys: 'b', run: () => (hasLists.value = !hasLists.value) },
    { id: 'leave-full', kind: 'hidden', label: '', keys: 'Escape', run: () => view.value.full !== null && own.update({ full: null }) },
  ])

  return {
    run: computed(run),
    state: own,
    choice,
    source,
    byName,
    allTags,
    shownTags,
    pins,
    groups,
    folding: useFolding(() => groups.value, startsFolded),
    hasLists,
    newest: computed(() => source.tags.value.reduce((last, { lastStep }) => Math.max(last, lastStep), -Infinity)),
    hasNothing: computed(() => runs.value.length > 0 && info.isComplete.value && source.isLoaded.value && allTags.value.length === 0),
    isCovered: computed(() => view.value.full !== null && (pins.value.includes(view.value.full) || shownTags.value.includes(view.value.full))),
    card: (tag) => ({
      tag,
      runs: byName.value.get(tag)?.runs ?? [],
      runNames: choice.names.value,
      dashes: choice.dashes.value,
      isFull: view.value.full === tag,
      isPinned: view.value.pins.includes(tag),
      onFull: () => own.update({ full: view.value.full === tag ? null : tag }),
      onPin: () => own.update({ pins: toggled(view.value.pins, tag) }),
    }),
  }
}
