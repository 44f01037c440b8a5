import type { ManagedChannel, Template } from '../../api/api.generated.js';

/** From where a template is sent. */
export interface ChannelChoice {
  /** Those of the template's business account: the others cannot send it. Its default one is the first. */
  readonly channels: readonly ManagedChannel[];
  /** The channel that sends; undefined while the channels are not known. */
  readonly chosen: ManagedChannel | undefined;
  /** Why nothing can be sent yet, as a sentence. */
  readonly problem: string | null;
}

/**
 * The channels of a template's account, and the one that sends: the account's default one unless another was chosen. Where that one is
 * disconnected none takes its place: from whom people hear is for the sender to say.
 */
export function channelChoice(
  template: Pick<Template, 'businessAccountId' | 'messagingChannelId'>,
  all: readonly ManagedChannel[],
  chosenId: string | null,
): ChannelChoice {
  const isOwn = ({ businessAccountId }: ManagedChannel): boolean => businessAccountId === template.businessAccountId;
  const isDefault = ({ id }: ManagedChannel): boolean => id === template.messagingChannelId;
  const own = all.filter(isOwn);
  const channels = [...own.filter(isDefault), ...own.filter((channel) => !isDefault(channel))];
  const chosen = channels.find(({ id }) => id === chosenId) ?? channels.find(isDefault);
  return { channels, chosen, problem: problemOf(channels, chosen) };
}

/** How a channel is called where one is chosen: names are not unique. */
export function channelWords({ name, phone }: Pick<ManagedChannel, 'name' | 'phone'>): string {
  return `${name}, ${phone}`;
}

/** Whether sends from it are taken. */
export function isConnected({ status }: Pick<ManagedChannel, 'status'>): boolean {
  return status === 'CONNECTED';
}

function problemOf(channels: readonly ManagedChannel[], chosen: ManagedChannel | undefined): string | null {
  if (!channels.some(isConnected)) return 'No channel of this template’s business account is connected.';
  if (!chosen) return 'Choose the channel to send from.';
  return isConnected(chosen) ? null : `${channelWords(chosen)} is disconnected: choose another channel.`;
}
