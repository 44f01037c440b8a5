import type { LockedPace, PaceAfter } from '../bulk-lane/channel-pace.repository.js';
import type { ItemKey, LaneKey } from '../bulk-lane/lane.entity.js';
import { divideSlots, nextBeginAfter, spacingOf, type Spacing } from '../bulk-lane/lane-pace.policy.js';
import type { AttemptLane } from '../dispatch/dispatch.entity.js';
import { LATE_MAX_MS } from '../dispatch/lane-turns.js';
import type { ClaimableLane, LaneAfter } from './claimable-lanes.repository.js';

/**
 * So far ahead slots are claimed: an attempt begins within 2 s of its mark, and an opt-out waits for what is marked. So
 * long before the last of them the next are looked for.
 */
const AHEAD_MS = 400;
const LEAD_MS = 100;
/** Before what waits for another message of its conversation, or for whoever holds its lane, is looked at again. */
const BEHIND_MS = 250;
/** Before the next look when nothing could be claimed of what was allocated: somebody holds its rows. */
const NOTHING_CLAIMED_MS = 50;

/** The slots of a lane in a claim. */
export interface LaneShare {
  readonly lane: ClaimableLane;
  readonly spacing: Spacing | null;
  /** Epoch milliseconds, rising. */
  readonly slots: readonly number[];
  /** So many of them are for messages that are sent again. */
  readonly repeats: number;
}

/** The slots of a channel in a claim. */
export interface ChannelShare {
  readonly pace: LockedPace;
  readonly lanes: readonly LaneShare[];
  /** The next time at which something may begin; null: nothing waits. */
  readonly nextMs: number | null;
}

/**
 * Allocates the slots of channels, in all at most `max`: channels that want less than an equal share get it, the others share
 * the rest.
 *
 * @param owner of lanes that this process paced last: others keep a distance, as attempts of theirs may still begin
 */
export function allocateSlots(
  paces: readonly LockedPace[],
  lanes: readonly ClaimableLane[],
  max: number,
  owner: string,
): ChannelShare[] {
  const byChannel = Map.groupBy(lanes, ({ channelId }) => channelId);
  const wanted = paces.map((pace) => allocateChannel(pace, byChannel.get(pace.channelId) ?? [], max, owner));
  const sizes = wanted.map(slotCount);
  const shares = equalShares(sizes, max);
  return wanted.map((channel, index) => {
    const share = shares[index] ?? 0;
    if (slotCount(channel) <= share) return channel;
    return allocateChannel(channel.pace, byChannel.get(channel.pace.channelId) ?? [], share, owner);
  });
}

/** Slots of a channel in a claim at most; so many lanes may have one. */
export function slotsMax({ perSecond }: Pick<LockedPace, 'perSecond'>): number {
  return Math.floor((AHEAD_MS * perSecond) / 1_000) + 1;
}

function allocateChannel(pace: LockedPace, lanes: readonly ClaimableLane[], max: number, owner: string): ChannelShare {
  const [first] = lanes;
  if (!first) return { pace, lanes: [], nextMs: null };
  const { nowMs, beginning } = first;
  const isOneHeld = lanes.filter(({ items }) => items > 0).length < beginning;
  const waiting = lanes.map((lane) => {
    const spacing = lane.throttlePerHour === null ? null : spacingOf(lane.throttlePerHour);
    const distanceMs = spacing && lane.owner !== owner ? LATE_MAX_MS : 0;
    return { lane, spacing, nextBeginMs: lane.nextBeginMs + distanceMs, waiting: lane.repeats + lane.items };
  });
  const channel = { nextBeginMs: pace.nextBeginMs, everyMs: 1_000 / pace.perSecond };
  const { slots, nextSlotMs } = divideSlots(channel, waiting, { nowMs, untilMs: nowMs + AHEAD_MS, max });
  const byLane = Map.groupBy(slots, ({ lane }) => lane);
  const allocated = [...byLane].map(([{ lane, spacing }, own]) => ({
    lane,
    spacing,
    slots: own.map(({ atMs }) => atMs),
    repeats: Math.min(lane.repeats, own.length),
  }));
  const times = [
    nextSlotMs === null ? null : nextSlotMs - LEAD_MS,
    // In the place of one that somebody holds no other was claimed.
    nextSlotMs === null && isOneHeld ? nowMs + BEHIND_MS : null,
    lanes.some(({ due, repeats }) => due > repeats) ? nowMs + BEHIND_MS : null,
    ...lanes.map(({ nextRepeatMs }) => nextRepeatMs),
  ];
  const known = times.filter((time) => time !== null);
  return { pace, lanes: allocated, nextMs: known.length > 0 ? Math.min(...known) : null };
}

function slotCount({ lanes }: ChannelShare): number {
  return lanes.reduce((sum, { slots }) => sum + slots.length, 0);
}

/**
 * Divides `max`: whoever wants less than an equal share gets that, and what it leaves is divided among the others. What cannot be
 * divided goes to those that want least.
 */
export function equalShares(wanted: readonly number[], max: number): number[] {
  const shares = wanted.map(() => 0);
  const rising = [...wanted.keys()].toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let left = max;
  rising.forEach((index, place) => {
    const share = Math.min(wanted[index] ?? 0, Math.ceil(left / (rising.length - place)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/** Gives the slots of a claim to what turned out to begin, the earliest first; the others are left to the next claim. */
export class AllocatedSlots {
  private readonly lanes: ReadonlyMap<string, { readonly share: LaneShare; used: number }>;

  /** @param readAtMs monotonic, when the lanes' `nowMs` was read: not before it */
  constructor(
    shares: readonly LaneShare[],
    private readonly readAtMs: number,
  ) {
    this.lanes = new Map(shares.map((share) => [laneKey(share.lane), { share, used: 0 }]));
  }

  /** @throws Error when more begin than slots were allocated: a bug */
  next(of: LaneKey): AttemptLane {
    const lane = this.lanes.get(laneKey(of));
    const slotMs = lane?.share.slots[lane.used];
    if (!lane || slotMs === undefined) throw new Error('more attempts than slots');
    lane.used++;
    const { spacing, lane: claimed } = lane.share;
    return { jobId: of.jobId, slotMs, beginAtMs: this.readAtMs + (slotMs - claimed.nowMs), spacing };
  }

  /**
   * How lanes are left of which something began, or is not to be looked at again.
   *
   * @param begun first attempts
   * @param read the first recipients that waited, of which those `left` wait still
   */
  lanesAfter(begun: readonly LaneKey[], read: readonly ItemKey[], left: readonly ItemKey[]): LaneAfter[] {
    const counts = Map.groupBy(begun, laneKey);
    const [reads, lefts] = [Map.groupBy(read, laneKey), Map.groupBy(left, laneKey)];
    return [...this.lanes].flatMap(([key, { share, used }]) => {
      const { organizationId, jobId, waitingFrom: before } = share.lane;
      const lastMs = share.slots[used - 1];
      const waitingFrom = Math.min(
        Math.max(before, ...indexesOf(reads.get(key)).map((index) => index + 1)),
        ...indexesOf(lefts.get(key)),
      );
      if (lastMs === undefined && waitingFrom === before) return [];
      const nextBeginMs = lastMs === undefined ? null : nextBeginAfter(lastMs, share.spacing);
      return [{ organizationId, jobId, nextBeginMs, begun: counts.get(key)?.length ?? 0, waitingFrom }];
    });
  }

  /**
   * How the channels are left: credit that was allocated and not used is not lost, and looked for at once.
   *
   * @param isFruitless nothing that was allocated began or ended
   */
  pacesAfter(shares: readonly ChannelShare[], isFruitless: boolean): PaceAfter[] {
    return shares.map(({ pace, lanes, nextMs }) => {
      const states = lanes.flatMap(({ lane }) => this.lanes.get(laneKey(lane)) ?? []);
      const lastMs = Math.max(...states.map(({ share, used }) => share.slots[used - 1] ?? -Infinity), -Infinity);
      const isAllUsed = states.every(({ share, used }) => used === share.slots.length);
      const nextBeginMs = lastMs === -Infinity ? pace.nextBeginMs : lastMs + 1_000 / pace.perSecond;
      const soonestMs = (lanes[0]?.lane.nowMs ?? 0) + (isFruitless ? NOTHING_CLAIMED_MS : 0);
      const soonMs = Math.max(nextBeginMs - LEAD_MS, soonestMs);
      const { organizationId, channelId } = pace;
      return {
        organizationId,
        channelId,
        nextBeginMs,
        lookAtMs: isAllUsed ? nextMs : Math.min(nextMs ?? soonMs, soonMs),
      };
    });
  }
}

function indexesOf(items: readonly ItemKey[] = []): number[] {
  return items.map(({ recipientIndex }) => recipientIndex);
}

/** A lane as the key of a map. */
export function laneKey({ organizationId, jobId }: LaneKey): string {
  return `${organizationId} ${jobId}`;
}
