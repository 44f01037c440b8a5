import type { Cuid } from '../grammar/cuid.js';
import type { IsoTime } from '../grammar/iso-time.js';
/** Who recorded an opt-out. Source: docs/api-behaviour.md#opt-outs-api. */
export type OptOutSource = 'API' | 'KEYWORD' | 'CONSOLE' | 'UPSTREAM';

/** A contact as the API shows it; every field is always present. Source: docs/api-behaviour.md#contacts-fields. */
export interface ContactView {
  readonly id: Cuid;
  /** E.164; empty for a sender whom the upstream names only by an id. */
  readonly phone: string;
  readonly messagingId: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Every channel of the organization is covered: sending is refused on each. */
  readonly isOptedOut: boolean;
  /** Channels with an opt-out of their own. */
  readonly optedOutChannelIds: readonly Cuid[];
  readonly createdAt: IsoTime;
  readonly updatedAt: IsoTime;
}

/** An opt-out as the API and the events show it; every field is always present. Source: docs/api-behaviour.md#opt-outs-api. */
export interface OptOutView {
  readonly id: Cuid;
  readonly contactId: Cuid;
  readonly phone: string;
  /** Null: all channels, those that come later too. */
  readonly messagingChannelId: Cuid | null;
  readonly source: OptOutSource;
  readonly reason: string | null;
  readonly createdAt: IsoTime;
}
