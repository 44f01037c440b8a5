/** Attempts a second of a channel whose rate no operator has set. Source: docs/api-behaviour.md#throttle. */
export const CHANNEL_PER_SECOND = 80;
/** What a slowed channel gains of its rate in a second: from a half to all of it in 16 s. */
export const SHARE_REGAINED_PER_SECOND = 1 / 32;
/** What is left of a channel's rate at least, however often the upstream refuses. */
export const SHARE_MIN = 1 / 64;

const HOUR_MS = 3_600_000;
const WINDOW_MS = 100;
/** So many windows are in an hour. */
const WINDOWS = HOUR_MS / WINDOW_MS;
/** From so many attempts in a window on they are counted by window: timers cannot keep distances that short. */
const COUNTED_BY_WINDOW_FROM = 10;

/** How the attempts of a throttled lane follow one another. */
export interface Spacing {
  /** Milliseconds from one to the next, as they are divided. */
  readonly everyMs: number;
  /** Attempts in any half-open window of `windowMs` at most: where attempts begin, this is what is held. */
  readonly windowMax: number;
  readonly windowMs: number;
}

/**
 * The spacing of `throttlePerHour`: 3,600 s / N between any two, so that no half-open hour holds more than N. From 10 in
 * 100 ms on, at most N / 36,000 in any 100 ms, which bounds every hour too.
 *
 * Source: docs/api-behaviour.md#throttle.
 */
export function spacingOf(throttlePerHour: number): Spacing {
  const perWindow = Math.floor(throttlePerHour / WINDOWS);
  if (perWindow >= COUNTED_BY_WINDOW_FROM) {
    return { everyMs: Math.ceil((WINDOW_MS * 1_000) / perWindow) / 1_000, windowMax: perWindow, windowMs: WINDOW_MS };
  }
  const everyMs = Math.ceil((HOUR_MS * 1_000) / throttlePerHour) / 1_000;
  return { everyMs, windowMax: 1, windowMs: everyMs };
}

/** A lane that has something to begin. */
export interface WaitingLane {
  readonly spacing: Spacing | null;
  /** Epoch milliseconds: of a throttled lane when it may begin next, of another when it last did. */
  readonly nextBeginMs: number;
  /** Attempts that it could make now. */
  readonly waiting: number;
}

/** A slot: the time for which an attempt is claimed. */
export interface LaneSlot<Lane> {
  readonly lane: Lane;
  readonly atMs: number;
}

/** The slots of a channel. */
export interface ChannelSlots<Lane> {
  readonly slots: readonly LaneSlot<Lane>[];
  /** The first slot that was not given, and waits for its time; null: nothing waits. */
  readonly nextSlotMs: number | null;
}

/** Until when slots are divided, and how many. */
export interface SlotBounds {
  readonly nowMs: number;
  readonly untilMs: number;
  readonly max: number;
}

/**
 * Divides a channel's slots among its lanes: each goes to a lane that may begin then, of several to the one that has waited
 * longest. Never before now: what was not used in the past is not caught up with.
 */
export function divideSlots<Lane extends WaitingLane>(
  channel: { readonly nextBeginMs: number; readonly everyMs: number },
  lanes: readonly Lane[],
  { nowMs, untilMs, max }: SlotBounds,
): ChannelSlots<Lane> {
  const states = lanes.map((lane) => ({ lane, nextMs: lane.nextBeginMs, left: lane.waiting }));
  const slots: LaneSlot<Lane>[] = [];
  let atMs = Math.max(nowMs, channel.nextBeginMs);
  for (;;) {
    let first: (typeof states)[number] | undefined;
    for (const state of states) {
      if (state.left > 0 && (!first || state.nextMs < first.nextMs)) first = state;
    }
    if (!first) return { slots, nextSlotMs: null };
    const slotMs = wholeMicroseconds(Math.max(atMs, first.nextMs));
    if (slotMs > untilMs || slots.length >= max) return { slots, nextSlotMs: slotMs };
    slots.push({ lane: first.lane, atMs: slotMs });
    first.left--;
    first.nextMs = nextBeginAfter(slotMs, first.lane.spacing);
    atMs = slotMs + channel.everyMs;
  }
}

/** What `nextBeginMs` of a lane is after a slot. */
export function nextBeginAfter(slotMs: number, spacing: Spacing | null): number {
  return spacing ? wholeMicroseconds(slotMs + spacing.everyMs) : slotMs;
}

/** As the database stores it. Distances are whole microseconds too, so that rounding shortens none. */
function wholeMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
