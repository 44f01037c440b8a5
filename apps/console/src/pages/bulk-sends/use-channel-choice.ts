import type { Template } from '../../api/api.generated.js';
import { useWholeList } from '../../api/use-api.js';
import type { Read } from '../../ui/read-problem.js';
import { channelChoice, type ChannelChoice } from './channel-choice.js';

/** From where the template is sent, of all channels of the organization. @param chosenId the channel that was chosen; null: the default one */
export function useChannelChoice(
  template: Template | undefined,
  chosenId: string | null,
): ChannelChoice & { readonly read: Read } {
  const { items, query } = useWholeList('listChannels', {});
  const isRead = query.data !== undefined && !query.hasNextPage;
  const unknown: ChannelChoice = { channels: [], chosen: undefined, problem: null };
  return { ...(template && isRead ? channelChoice(template, items, chosenId) : unknown), read: query };
}
