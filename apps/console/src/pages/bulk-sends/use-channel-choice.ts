import type { Template } from '../../api/api.generated.js';
import { useWholeList } from '../../api/use-api.js';
import { channelChoice, type ChannelChoice } from './channel-choice.js';

/** From where the template is sent, of all channels of the organization. @param chosenId the channel that was chosen; null: the default one */
export function useChannelChoice(template: Template | undefined, chosenId: string | null): ChannelChoice {
  const { items, query } = useWholeList('listChannels', {});
  const isRead = query.data !== undefined && !query.hasNextPage;
  if (template && isRead) return channelChoice(template, items, chosenId);
  const problem = query.error ? `The channels cannot be read: ${query.error.message}` : null;
  return { channels: [], chosen: undefined, problem: isRead ? null : problem };
}
