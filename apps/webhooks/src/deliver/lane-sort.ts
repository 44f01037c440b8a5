/**
 * Lanes of each sort have turns of their own, next to each other: what hundreds of receivers that fail cost holds up no
 * turn of those that answer.
 */
export const laneSorts = ['answering', 'giving-way'] as const;

/** See `OpenLane.sort`. */
export type LaneSort = (typeof laneSorts)[number];

/** What one turn has at most. */
export interface TurnLimits {
  /** Attempts that it begins, and records: what comes next waits for all of it. */
  readonly attempts: number;
  /** Lanes that it locks for what may begin. */
  readonly lanes: number;
  /** Lanes that are read in front of it. */
  readonly lanesRead: number;
  /** Webhooks of which it records what has ended. */
  readonly webhooksEnded: number;
}

/** Those that give way begin few: each request costs a connection. */
export const TURN_LIMITS: Readonly<Record<LaneSort, TurnLimits>> = {
  answering: { attempts: 128, lanes: 64, lanesRead: 32, webhooksEnded: 128 },
  'giving-way': { attempts: 32, lanes: 6, lanesRead: 6, webhooksEnded: 32 },
};
