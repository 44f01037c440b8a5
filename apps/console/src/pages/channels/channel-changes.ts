import type { ChangeChannelBody, ManagedChannel } from '../../api/api.generated.js';
import { isSameSet } from '../webhooks/webhook-changes.js';

/** What people set of a channel. */
export type ChannelFields = Pick<ManagedChannel, 'defaultRegion' | 'optOutKeywords'>;

/**
 * The fields that a form has changed, and no other: what a colleague has changed meanwhile stays.
 *
 * @param before when the form was opened
 * @param accessToken a new one; empty to keep the present one
 */
export function changesOf(before: ChannelFields, after: ChannelFields, accessToken: string): ChangeChannelBody {
  const region = after.defaultRegion.toUpperCase();
  return {
    ...(accessToken === '' ? {} : { accessToken }),
    ...(region === before.defaultRegion ? {} : { defaultRegion: region }),
    ...(isSameSet(after.optOutKeywords, before.optOutKeywords) ? {} : { optOutKeywords: after.optOutKeywords }),
  };
}
