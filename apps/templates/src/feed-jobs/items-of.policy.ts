import type { BulkItem } from '@switchboard/contracts/messaging/bulk-rpc';
import { templateFiller, type TemplateValues } from '../template/fill-template.policy.js';
import type { TemplateRow } from '../template/template-view.js';
import { fitsBroker, sized, type SizedItem } from './batches-of.policy.js';
import type { ClaimedRecipient } from './job-feed.repository.js';

/** Claimed recipients as messaging takes them. */
export interface FilledRecipients {
  readonly items: readonly SizedItem[];
  /** They do not fit the template, which was edited since the job was accepted; or are too large to be sent at all. */
  readonly unfit: readonly Pick<BulkItem, 'recipientIndex' | 'messageId'>[];
  /** Of JSON, the unfit ones included. */
  readonly bytes: number;
  /** Index of the first that is left for the next look; null: none is. */
  readonly leftFrom: number | null;
}

/** Fills the template for claimed recipients, in their order, until their JSON has so many bytes. */
export function itemsOf(
  template: TemplateRow,
  claimed: readonly ClaimedRecipient[],
  bytesMax: number,
): FilledRecipients {
  const { id, name, language } = template;
  const fill = templateFiller(template.components, template.parameterFormat);
  const items: SizedItem[] = [];
  const unfit: Pick<BulkItem, 'recipientIndex' | 'messageId'>[] = [];
  let bytes = 0;
  for (const { index, messageId, phone, variables, clientReference, metadata } of claimed) {
    if (bytes >= bytesMax) return { items, unfit, bytes, leftFrom: index };
    const filled = fill(variables === null ? null : (JSON.parse(variables) as TemplateValues));
    if ('fault' in filled) {
      unfit.push({ recipientIndex: index, messageId });
      continue;
    }
    const item = sized({
      messageId,
      recipientIndex: index,
      to: phone,
      template: { id, name, language },
      parameters: filled.parameters,
      text: filled.text,
      clientReference,
      metadata: metadata === null ? {} : (JSON.parse(metadata) as Record<string, string>),
      expiresAt: null,
    });
    bytes += item.bytes;
    // Handed over, it would be refused each time, and hold up all behind it.
    if (fitsBroker(item)) items.push(item);
    else unfit.push({ recipientIndex: index, messageId });
  }
  return { items, unfit, bytes, leftFrom: null };
}
