/** What the boards of tags have in common: runs to choose, tags to tick and pin, groups to fold, cards to enlarge. */

import { computed, type ComputedRef, type Ref } from 'vue'
import { live } from '@/base/api/live'
import { useCommands, type Command } from '@/base/commands'
import { groupTags, type TagGroup } from '@/base/groups'
import { t } from '@/i18n'
import { filterOf } from '@/base/pattern'
import { useLists } from '@/board/lists'
import type { ViewState } from '@/base/url/useView'
import { hasAnyOf, useChosenRuns, type ChosenRuns } from '@/board/runs/chosenRuns'
import { useFoldedGroups, type FoldedGroups } from './foldedGroups'
import { useItemTags, type ItemTag, type TagSource } from './itemTags'
import { toggled, type TagView } from './tagView'

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
  readonly isFull: boolean
  readonly isPinned: boolean
  /** Every point as it was written, not only the newest of each step. */
  readonly showSuperseded: boolean
}

/** What every card can ask for. */
export interface CardEvents {
  full: []
  pin: []
  superseded: []
}

export interface CardHandlers extends CardProps {
  onFull(): void
  onPin(): void
  onSuperseded(): void
}

export interface TagBoardOptions<K extends string, T extends BoardTag> {
  /** The counts of a run that make it one for this board. */
  readonly kinds: readonly K[]
  /** So many of the newest runs are where the board begins. */
  readonly atFirst: number
  /** Where the tags come from, when not from the tag lists of the runs. */
  readonly source?: (runs: () => readonly string[], filter: () => string) => TagSource<T>
  /** How tags are put in groups, when not by what they begin with. */
  readonly grouping?: (items: readonly T[]) => readonly TagGroup[]
  /** Which groups are folded until somebody opens them. */
  readonly startsFolded?: (prefix: string) => boolean
  /** The runs, where the board selects them in a way of its own; all of them have something for it. */
  readonly choice?: ChosenRuns
}

export interface TagBoard<T extends BoardTag> {
  /** The counts of a run that make it one for this board. */
  readonly kinds: readonly string[]
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
  readonly folding: FoldedGroups
  readonly hasLists: Ref<boolean>
  /** The last step of all tags. */
  readonly newest: ComputedRef<number>
  /** The card in full screen. */
  readonly full: ComputedRef<string | null>
  /** Whether it is certain that the chosen runs have nothing for this board. */
  readonly hasNothing: ComputedRef<boolean>
  /** Whether it is certain that no run at all has anything for it. */
  readonly isNowhere: ComputedRef<boolean>
  /** Whether a card in full screen lies over the board. */
  readonly isCovered: ComputedRef<boolean>
  card(tag: string): CardHandlers
}

/** `run` is the one of the address, or null on a board of several. */
export function useTagBoard<V extends TagView, K extends string, T extends BoardTag = ItemTag<K>>(
  run: () => string | null,
  state: ViewState<V>,
  { kinds, atFirst, source: sourceOf, grouping, startsFolded, choice: own }: TagBoardOptions<K, T>,
): TagBoard<T> {
  const { view } = state
  // Of a view, only what every board has is touched here.
  const tagState = state as unknown as ViewState<TagView>
  const choice = own ?? useChosenRuns(run, state, { kinds, atFirst })
  const { runs, info } = choice
  const having = computed(() =>
    own ? runs.value : runs.value.filter((id) => hasAnyOf(info.runs.value.get(id)!, kinds)),
  )
  const filter = (): string => view.value.tagFilter
  const source = sourceOf
    ? sourceOf(() => having.value, filter)
    : (useItemTags(() => having.value, kinds, filter) as unknown as TagSource<T>)

  const byName = computed(() => new Map(source.tags.value.map((item) => [item.tag, item])))
  const groupsOf = (tags: readonly string[]): readonly TagGroup[] =>
    grouping ? grouping(tags.map((tag) => byName.value.get(tag)!)) : groupTags(tags)
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
  const hasLists = useLists()

  useCommands(() => [
    ...allTags.value.map((tag): Command => ({
      id: `tag:${tag}`,
      kind: 'tag',
      label: tag,
      run: () => tagState.update({ tagFilter: '', tags: null, full: tag }),
    })),
    {
      id: 'lists',
      kind: 'command',
      label: hasLists.value ? t.value.hideLists : t.value.showLists,
      keys: 'b',
      run: () => (hasLists.value = !hasLists.value),
    },
    {
      id: 'leave-full',
      kind: 'hidden',
      label: '',
      keys: 'Escape',
      run: () => view.value.full !== null && tagState.update({ full: null }),
    },
  ])

  return {
    kinds,
    run: computed(run),
    state: tagState,
    choice,
    source,
    byName,
    allTags,
    shownTags,
    pins,
    groups,
    folding: useFoldedGroups(() => groups.value, startsFolded),
    hasLists,
    newest: computed(() =>
      source.tags.value.reduce((last, { lastStep }) => Math.max(last, lastStep), -Infinity),
    ),
    full: computed(() => view.value.full),
    hasNothing: computed(
      () =>
        runs.value.length > 0 && info.isComplete.value && source.isLoaded.value && allTags.value.length === 0,
    ),
    isNowhere: computed(
      () => live.service.value !== null && !kinds.some((kind) => live.service.value!.kinds.includes(kind)),
    ),
    isCovered: computed(
      () =>
        view.value.full !== null &&
        (pins.value.includes(view.value.full) || shownTags.value.includes(view.value.full)),
    ),
    card: (tag) => ({
      tag,
      runs: byName.value.get(tag)?.runs ?? [],
      runNames: choice.names.value,
      isFull: view.value.full === tag,
      isPinned: view.value.pins.includes(tag),
      showSuperseded: view.value.superseded.includes(tag),
      onFull: () => tagState.update({ full: view.value.full === tag ? null : tag }),
      onPin: () => tagState.update({ pins: toggled(view.value.pins, tag) }),
      onSuperseded: () => tagState.update({ superseded: toggled(view.value.superseded, tag) }),
    }),
  }
}
