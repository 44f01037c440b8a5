import type { BulkItem } from '@switchboard/contracts/messaging/bulk-rpc';
import { countWithin } from '@switchboard/postgres';

/** Of a request to messaging: below the 1 MiB of the broker, with room for the rest of the request. */
const BATCH_BYTES_MAX = 700_000;
/** Of one recipient that goes alone, as its message has to fit into an event. */
const ITEM_BYTES_MAX = 1_000_000;

/** True when a message of the broker holds the recipient: text and values may be many times what was given for them. */
export function fitsBroker(item: BulkItem): boolean {
  return Buffer.byteLength(JSON.stringify(item)) <= ITEM_BYTES_MAX;
}

/** Recipients in their order, in as few batches as fit into a message of the broker. One that is larger goes alone. */
export function batchesOf(items: readonly BulkItem[], bytesMax = BATCH_BYTES_MAX): readonly (readonly BulkItem[])[] {
  const batches: BulkItem[][] = [];
  let rest = items;
  while (rest.length > 0) {
    const count = countWithin(bytesMax, rest);
    batches.push(rest.slice(0, count));
    rest = rest.slice(count);
  }
  return batches;
}
