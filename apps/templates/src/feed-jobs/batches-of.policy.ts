import type { BulkItem } from '@switchboard/contracts/messaging/bulk-rpc';

/** Of a request to messaging: below the 1 MiB of the broker, with room for the rest of the request. */
const BATCH_BYTES_MAX = 700_000;
/** Of one recipient that goes alone, as its message has to fit into an event. */
const ITEM_BYTES_MAX = 1_000_000;

/** A recipient with the bytes of its JSON. */
export interface SizedItem {
  readonly item: BulkItem;
  readonly bytes: number;
}

/** Measures a recipient: its JSON is made for it, which takes some milliseconds of a large one. */
export function sized(item: BulkItem): SizedItem {
  return { item, bytes: Buffer.byteLength(JSON.stringify(item)) };
}

/** True when a message of the broker holds the recipient: text and values may be many times what was given for them. */
export function fitsBroker({ bytes }: SizedItem): boolean {
  return bytes <= ITEM_BYTES_MAX;
}

/** Recipients in their order, in as few batches as fit into a message of the broker. One that is larger goes alone. */
export function batchesOf(items: readonly SizedItem[], bytesMax = BATCH_BYTES_MAX): readonly (readonly BulkItem[])[] {
  const batches: BulkItem[][] = [];
  let left = 0;
  for (const { item, bytes } of items) {
    const last = batches.at(-1);
    // With the comma.
    left -= bytes + 1;
    if (last && left >= 0) last.push(item);
    else {
      batches.push([item]);
      left = bytesMax - bytes - 1;
    }
  }
  return batches;
}
