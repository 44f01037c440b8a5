import type { BulkItem } from '@switchboard/contracts/messaging/bulk-rpc';

/** Of a request to messaging: below the 1 MiB of the broker, with room for the rest of the request. */
const BATCH_BYTES_MAX = 700_000;

/** Recipients in their order, in as few batches as fit into a message of the broker. One that is larger goes alone. */
export function batchesOf(items: readonly BulkItem[], bytesMax = BATCH_BYTES_MAX): readonly (readonly BulkItem[])[] {
  const batches: BulkItem[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    const batch = bytes <= left ? batches.at(-1) : undefined;
    if (batch) batch.push(item);
    else batches.push([item]);
    left = (batch ? left : bytesMax) - bytes;
  }
  return batches;
}
