import { changesNothing, type UserActor } from '@switchboard/contracts/grammar/audited-act';
import { auditedChange, channelActed, type ChannelAction } from '@switchboard/contracts/messaging/channel-events';
import { appendAct, findAct } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import type { Channel } from './channel.entity.js';

/** Who does what to a channel. */
export interface ChannelAct {
  readonly action: ChannelAction;
  /** Absent: the caller is of the release before, and writes the audit log alone. */
  readonly by: UserActor | undefined;
}

/** A channel before and after. */
export interface ChangedChannelRow {
  readonly before: Channel;
  readonly after: Channel;
}

/**
 * Emits the event of an act that makes or changes a channel, which must be locked; none where the act leaves all as it is.
 *
 * @param accessToken null: as it was
 */
export function appendChannelAct(
  tx: Transaction,
  { action, by }: ChannelAct,
  before: Channel | null,
  after: Channel,
  accessToken: string | null,
): void {
  const { organizationId, id: aggregateId } = after;
  const hasNewToken = accessToken !== null && accessToken !== '';
  const states = auditedChange({ before, after, hasNewToken });
  if (changesNothing(states)) return;
  appendAct(tx, by, { event: channelActed, organizationId, aggregateId, action, ...states });
}

/**
 * The channel around an act that is asked for again, because its answer was lost; it must be locked.
 *
 * @param now as it is, whatever has changed it since
 * @returns null when the act was not done
 */
export async function formerChange(
  tx: Transaction,
  { by }: ChannelAct,
  now: Channel,
): Promise<ChangedChannelRow | null> {
  const done = await findAct(tx, by);
  // What `auditedChange` has put there: fields of a channel.
  return done && { before: { ...now, ...done.before }, after: { ...now, ...done.after } };
}
