import type { AuditedRequest, UserActor } from '../grammar/audited-act.js';
import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { Int } from '../grammar/int.js';
import type { Page } from '../grammar/page.js';
import type { ChannelTestResult, ManagedChannelView } from './http.js';

/** The upstream has 5 s, and our commit follows. */
const DEADLINE_MS = 8_000;

/** A line of the upstream to be connected. */
export interface ConnectChannelRequest extends AuditedRequest<UserActor> {
  /** Of the channel that there will be: a repetition makes no second one. */
  readonly channelId: Cuid;
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  readonly accessToken: string;
  /** ISO 3166-1 alpha-2; null: that of the line's own number. */
  readonly defaultRegion: string | null;
  /** The first channel of an organization is its default one, whatever is said here. */
  readonly isDefault: boolean;
  /** How many connected channels the plan includes. */
  readonly channelsMax: Int;
}

/** What is to change of a channel; null leaves it as it is. */
export interface ChangeChannelRequest extends AuditedRequest<UserActor> {
  readonly id: Cuid;
  /** Connects the channel again. */
  readonly accessToken: string | null;
  readonly isDefault: boolean | null;
  readonly defaultRegion: string | null;
  readonly optOutKeywords: readonly string[] | null;
  readonly channelsMax: Int;
}

/** A channel that is to be tested or disconnected. */
export interface ChannelActRequest extends AuditedRequest<UserActor> {
  readonly id: Cuid;
}

/** A channel before and after an act, for the audit log. */
export interface ChangedChannel {
  readonly before: ManagedChannelView;
  readonly after: ManagedChannelView;
}

/**
 * Connects a line once the upstream has shown it to the access token.
 *
 * @throws UPSTREAM_REJECTED; SERVICE_UNAVAILABLE; PAYMENT_REQUIRED; CONFLICT for a line that is a channel already;
 * VALIDATION_FAILED when the region is neither given nor known
 */
export const connectChannelRpc = defineRpc<ConnectChannelRequest, ManagedChannelView>('messaging', 'connect-channel', {
  deadlineMs: DEADLINE_MS,
});

/**
 * Changes a channel; an access token is shown to the upstream first.
 *
 * @throws CHANNEL_NOT_FOUND; as `connect-channel`; VALIDATION_FAILED when no default channel would be left
 */
export const changeChannelRpc = defineRpc<ChangeChannelRequest, ChangedChannel>('messaging', 'change-channel', {
  deadlineMs: DEADLINE_MS,
});

/** Shows the channel's access token to the upstream; one that is refused disconnects it. @throws CHANNEL_NOT_FOUND */
export const testChannelRpc = defineRpc<ChannelActRequest, ChannelTestResult>('messaging', 'test-channel', {
  deadlineMs: DEADLINE_MS,
});

/** Disconnects a channel and forgets its access token. Idempotent. @throws CHANNEL_NOT_FOUND */
export const disconnectChannelRpc = defineRpc<ChannelActRequest, ChangedChannel>('messaging', 'disconnect-channel', {
  deadlineMs: 5_000,
});

/** One channel as the application shows it. @throws CHANNEL_NOT_FOUND */
export const getManagedChannelRpc = defineRpc<{ readonly id: Cuid }, ManagedChannelView>(
  'messaging',
  'get-managed-channel',
  { deadlineMs: 5_000 },
);

/** Channels as the application shows them, newest first. */
export const listManagedChannelsRpc = defineRpc<
  { readonly limit: Int; readonly cursor: Cuid | null },
  Page<ManagedChannelView>
>('messaging', 'list-managed-channels', { deadlineMs: 5_000 });
