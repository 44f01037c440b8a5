import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { readable } from '../../ui/foreign-text.js';
import { bulkSendDraft } from './bulk-send-draft.js';
import { channelWords, isConnected, type ChannelChoice } from './channel-choice.js';

/** Chooses the channel of a new bulk send, where its template can be sent from several. */
export function ChannelField({ from: { channels, chosen } }: { readonly from: ChannelChoice }): ReactElement | null {
  if (channels.length < 2) return null;
  return (
    <Select
      label="Channel"
      placeholder="Choose one"
      required
      allowDeselect={false}
      value={chosen?.id ?? null}
      onChange={(value) => bulkSendDraft.write({ channelId: value })}
      data={channels.map((channel) => ({
        value: channel.id,
        label: readable(`${channelWords(channel)}${isConnected(channel) ? '' : ' (disconnected)'}`),
        disabled: !isConnected(channel),
      }))}
    />
  );
}
