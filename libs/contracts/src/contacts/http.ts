import type { Cuid } from '../grammar/cuid.js';
import type { IsoTime } from '../grammar/iso-time.js';
/** Who recorded an opt-out. Source: docs/api-behaviour.md#opt-outs-api. */
export type OptOutSource = 'API' | 'KEYWORD' | 'CONSOLE' | 'UPSTREAM';

/** A contact as the API shows it; every field is always present. Source: docs/api-behaviour.md#contacts-fields. */
export interface ContactView {
  /** The id of the contact. */
  readonly id: Cuid;
  /** E.164; empty for a sender whom the upstream names only by an id. */
  readonly phone: string;
  /** The upstream provider's id of the contact; until it is known, the digits of the number. */
  readonly messagingId: string;
  /** The name; null when it is not set. */
  readonly name: string | null;
  /** The email address; null when it is not set. */
  readonly email: string | null;
  /** Every channel of the organization is covered: sending is refused on each. */
  readonly isOptedOut: boolean;
  /** Channels with an opt-out of their own. */
  readonly optedOutChannelIds: readonly Cuid[];
  /** When it was created. */
  readonly createdAt: IsoTime;
  /** When its number, name, email, id at the provider or opt-outs last changed. */
  readonly updatedAt: IsoTime;
}

/** An opt-out as the API and the events show it; every field is always present. Source: docs/api-behaviour.md#opt-outs-api. */
export interface OptOutView {
  /** The id of the opt-out. */
  readonly id: Cuid;
  /** The contact that opted out. */
  readonly contactId: Cuid;
  /** The number of the contact in E.164; empty for a sender whom the upstream names only by an id. */
  readonly phone: string;
  /** Null: all channels, those that come later too. */
  readonly messagingChannelId: Cuid | null;
  /** What recorded it. */
  readonly source: OptOutSource;
  /** The reason that was given; null when none was. */
  readonly reason: string | null;
  /** When it was recorded. */
  readonly createdAt: IsoTime;
}
