import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import { appendEvents } from '@switchboard/outbox';
import { type Transaction } from '@switchboard/postgres';
import { systemClock } from '@switchboard/platform';
import { insertBegun } from '../bulk-lane/attempt-begun.repository.js';
import { leavePaces, lockPaces, type LaneFloors } from '../bulk-lane/channel-pace.repository.js';
import { endItems, noteContacts, type SkipReason } from '../bulk-lane/lane-item.repository.js';
import type { ItemKey, LaneItem, RecipientKey } from '../bulk-lane/lane.entity.js';
import { holdLanes, type HoldTarget } from '../bulk-lane/lane.repository.js';
import { holdRecipients } from '../contact/contact.repository.js';
import type { Attempt, AttemptLane, AttemptRefusal } from '../dispatch/dispatch.entity.js';
import { insertDispatches } from '../dispatch/dispatch.repository.js';
import { claimPaced } from '../dispatch/paced-claim.repository.js';
import {
  acceptedEventsOf,
  enterConversations,
  type EnteredMessage,
  type MessageContent,
  type PassedMessage,
} from '../message/enter-conversations.js';
import { judgeMessages, unlessUnheld } from '../message/judge-messages.repository.js';
import { insertMessages } from '../message/message.repository.js';
import { claimableLanes, leaveLanes, nextItems, type ClaimableLane } from './claimable-lanes.repository.js';
import { allocateSlots, AllocatedSlots, laneKey, slotsMax, type LaneShare } from './allocate-slots.policy.js';

/** An attempt of a lane that is marked, with its turn; `refusal` says why it must not be made. */
export interface LaneAttempt extends Attempt {
  readonly lane: AttemptLane;
  readonly refusal: AttemptRefusal | null;
}

/** What came of a claim. */
export interface LaneClaim {
  readonly attempts: readonly LaneAttempt[];
  /** Channels that were looked at. */
  readonly channels: number;
  readonly skipped: number;
  /** Recipients whose contact was not known any more. */
  readonly hasUnknown: boolean;
}

/** How much may be claimed, by whom. */
export interface ClaimSpec {
  /** Of this process; it changes with every start. */
  readonly owner: string;
  readonly lease: string;
  readonly channelsMax: number;
  readonly attemptsMax: number;
  /** Ids of channels that are left alone. */
  readonly without?: readonly string[];
  /** See `lockPaces`. */
  readonly floors?: LaneFloors;
  /** Is given the ids of the channels that are claimed for. */
  readonly onLocked?: (channelIds: readonly string[]) => void;
}

/** Younger ids are kept: the recipients' service names them when it asks again after a crash. */
const ID_AGE_MAX_MS = 60_000;
const NOTHING: LaneClaim = { attempts: [], channels: 0, skipped: 0, hasUnknown: false };

/**
 * Begins what is due of lanes: takes the credit of channel and job, judges each recipient as a send is judged, and makes
 * message, conversation, events and mark, in one transaction.
 *
 * Order of locks: paces and lanes, which are skipped when another has them, then as every send (`lockMessages`).
 */
export async function claimLanes(tx: Transaction, spec: ClaimSpec): Promise<LaneClaim> {
  const markedMs = systemClock.monotonic();
  const repeatsFromMs = spec.floors?.repeatsFromMs ?? -Infinity;
  const paces = await lockPaces(tx, spec.owner, spec.channelsMax, spec);
  if (paces.length === 0) return NOTHING;
  spec.onLocked?.(paces.map(({ channelId }) => channelId));
  // One more than can be claimed: so it is seen that something is left.
  const limit = spec.attemptsMax + 1;
  const channels = paces.map((pace) => ({ ...pace, lanesMax: Math.min(slotsMax(pace) + 1, limit) }));
  const lanes = await claimableLanes(tx, channels, limit, repeatsFromMs);
  const readAtMs = systemClock.monotonic();
  await holdLanes(tx, disconnectedOf(lanes));
  const connected = lanes.filter(({ channelStatus }) => channelStatus === 'CONNECTED');
  const channelShares = allocateSlots(paces, connected, spec.attemptsMax, spec.owner);
  const laneShares = channelShares.flatMap(({ lanes: own }) => own);
  const { read, passed, ended } = await judge(tx, laneShares);
  const entered = await enterConversations(tx, passed, contentOf);
  const repeated = await claimPaced(
    tx,
    laneShares.flatMap(({ lane, repeats }) => (repeats > 0 ? [{ ...lane, count: repeats }] : [])),
    spec.lease,
    repeatsFromMs,
  );

  const slots = new AllocatedSlots(laneShares, readAtMs);
  const again = repeated.map((attempt) => ({ ...attempt, lane: slots.next(attempt), markedMs }));
  const first = entered
    .toSorted((a, b) => a.item.recipientIndex - b.item.recipientIndex)
    .map((one) => ({ ...one, attempt: attemptOf(one, slots.next(one.item), spec.lease, markedMs) }));
  const attempts: LaneAttempt[] = [...again, ...first.flatMap((one) => (one.candidate.waits ? [] : [one.attempt]))];

  insertMessages(
    tx,
    first.map(({ message }) => message),
  );
  insertDispatches(
    tx,
    first.map(({ attempt, candidate }) => ({ ...attempt, waits: candidate.waits })),
  );
  insertBegun(
    tx,
    attempts.map((attempt) => ({ ...attempt, ...attempt.lane })),
  );
  appendEvents(tx, first.flatMap(acceptedEventsOf));
  noteContacts(tx, 'unknown', ended.unknown);
  const begun = first.map(({ item }) => item);
  const gone = new Set([...begun, ...ended.begun, ...ended.skipped, ...ended.unknown].map(itemKey));
  const left = read.filter((item) => !gone.has(itemKey(item)));
  leaveLanes(tx, spec.owner, slots.lanesAfter(begun, read, left));
  const isFruitless = first.length + repeated.length + Object.values(ended).flat().length === 0;
  leavePaces(tx, spec.owner, slots.pacesAfter(channelShares, isFruitless));
  // Last: skipped recipients give quota back.
  endItems(tx, [...begun, ...ended.begun], ended.skipped);
  return { attempts, channels: paces.length, skipped: ended.skipped.length, hasUnknown: ended.unknown.length > 0 };
}

/** A recipient with the channel of its lane. */
interface ClaimedItem extends LaneItem {
  readonly channelId: string;
  /** The database's clock when the lane was read, in epoch milliseconds. */
  readonly nowMs: number;
}

/** What becomes of claimed recipients that get no message now. */
interface EndedItems {
  readonly begun: readonly RecipientKey[];
  readonly skipped: readonly (RecipientKey & { readonly reason: SkipReason })[];
  readonly unknown: readonly RecipientKey[];
}

/** The next recipients of lanes: those that get a message, those that are over, and those that stay. */
interface JudgedItems {
  readonly read: readonly LaneItem[];
  readonly passed: readonly PassedMessage<ClaimedItem>[];
  readonly ended: EndedItems;
}

/** Holds and judges as a send does; what is refused for a cause of its channel stays where it is. */
async function judge(tx: Transaction, shares: readonly LaneShare[]): Promise<JudgedItems> {
  const lanes = new Map(shares.map(({ lane }) => [laneKey(lane), lane]));
  const counts = shares.map(({ lane, slots, repeats }) => ({ ...lane, count: slots.length - repeats }));
  const next = await nextItems(
    tx,
    counts.filter(({ count }) => count > 0),
  );
  const expired: RecipientKey[] = [];
  const items = next.flatMap((item): ClaimedItem[] => {
    const lane = lanes.get(laneKey(item));
    if (!lane) return [];
    const isExpired = item.expiresAt !== null && item.expiresAt.getTime() <= lane.nowMs;
    if (isExpired) expired.push(item);
    return isExpired ? [] : [{ ...item, channelId: lane.channelId, nowMs: lane.nowMs }];
  });
  const passed: PassedMessage<ClaimedItem>[] = [];
  const begun: RecipientKey[] = [];
  const unknown: RecipientKey[] = [];
  const skipped = expired.map((item) => ({ ...item, reason: 'EXPIRED' as SkipReason }));
  if (items.length > 0) {
    const [held, judged] = await Promise.all([holdRecipients(tx, items), judgeMessages(tx, items)]);
    judged.forEach((found, index) => {
      const item = items[index];
      if (!item) return;
      const candidate = unlessUnheld(found, item, held);
      if (candidate.verdict === 'accepted') passed.push({ item: unlessAged(item), candidate });
      else if (candidate.verdict === 'repeated') begun.push(item);
      else if (candidate.verdict === 'opted-out') skipped.push({ ...item, reason: 'OPTED_OUT' });
      else if (candidate.verdict === 'contact-unknown') unknown.push(item);
    });
  }
  return { read: next, passed, ended: { begun, skipped, unknown } };
}

/**
 * With an id of its own time when a pause or a hold kept it: a message is as old as its id, which decides its place in lists and how
 * long it is tried.
 */
function unlessAged(item: ClaimedItem): ClaimedItem {
  const ageMs = item.nowMs - cuidTime(item.messageId).getTime();
  return ageMs > ID_AGE_MAX_MS ? { ...item, messageId: newCuid() } : item;
}

function contentOf({ messageId: id, jobId, recipientIndex, content }: ClaimedItem): MessageContent {
  const { template, text, clientReference, metadata } = content;
  return { id, type: 'TEMPLATE', text, template, clientReference, metadata, jobId, recipientIndex, traceparent: null };
}

function attemptOf(
  { item, candidate }: EnteredMessage<ClaimedItem>,
  lane: AttemptLane,
  lease: string,
  markedMs: number,
): LaneAttempt {
  const { template, parameters, text } = item.content;
  return {
    organizationId: item.organizationId,
    messageId: item.messageId,
    channelId: candidate.channelId,
    contactId: candidate.contactId,
    recipientPhone: item.phone,
    attempts: 1,
    lease,
    text,
    template: { name: template.name, language: template.language, parameters },
    phoneNumberId: candidate.phoneNumberId,
    accessTokenSealed: candidate.accessTokenSealed,
    contactMessagingId: candidate.contactMessagingId,
    lane,
    markedMs,
    refusal: null,
  };
}

/** Lanes of channels that are not connected stand still until they are. */
function disconnectedOf(lanes: readonly ClaimableLane[]): HoldTarget[] {
  return lanes
    .filter(({ channelStatus, items, repeats }) => channelStatus === 'DISCONNECTED' && items + repeats > 0)
    .map((lane) => ({ ...lane, reason: 'CHANNEL_DISCONNECTED' }));
}

function itemKey(item: ItemKey): string {
  return `${laneKey(item)} ${item.recipientIndex}`;
}
