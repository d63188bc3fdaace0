import type { Board, BoardOffer } from '@rest'
import { getJson, sendJson } from '@/base/api/client'

export type BoardState = Board
export type Offer = BoardOffer

export async function fetchBoard(): Promise<BoardState> {
  return getJson('board')
}

export async function acceptOffer({ id }: Offer): Promise<BoardState> {
  return sendJson('put', 'board', { id })
}

export async function declineOffer({ id }: Offer): Promise<BoardState> {
  return sendJson('post', 'board/decline', { id })
}
