import { describe, expect, it } from '@jest/globals';
import type { BulkItem } from '@switchboard/contracts/messaging/bulk-rpc';
import { batchesOf, sized } from './batches-of.policy.js';

const item = (recipientIndex: number, note: string): BulkItem => ({
  messageId: `message ${recipientIndex}`,
  recipientIndex,
  to: '+14155550123',
  template: { id: 'template', name: 'welcome', language: 'en_US' },
  parameters: { header: null, body: [], buttons: [] },
  text: '',
  clientReference: null,
  metadata: { note },
  expiresAt: null,
});
const MESSAGE_BYTES_MAX = 1_048_576;

describe('batches of recipients', () => {
  it('are one, as long as a message of the broker holds them', () => {
    const items = Array.from({ length: 200 }, (_none, index) => item(index, 'short'));
    expect(batchesOf(items.map(sized))).toEqual([items]);
    expect(batchesOf([])).toEqual([]);
  });

  it('are as many as it takes, in order, when their metadata is large, escaped or not of ASCII', () => {
    for (const note of ['x'.repeat(8_000), '\u0001'.repeat(1_500), '😀'.repeat(2_500)]) {
      const items = Array.from({ length: 200 }, (_none, index) => item(index, note));
      const batches = batchesOf(items.map(sized));
      expect(batches.flat()).toEqual(items);
      expect(batches.length).toBeLessThan(6);
      for (const batch of batches)
        expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(MESSAGE_BYTES_MAX - 200_000);
    }
  });

  it('hold one that is too large alone', () => {
    const [small, large] = [item(0, 'short'), item(1, 'x'.repeat(2_000))];
    expect(batchesOf([small, large, small, small].map(sized), 1_500)).toEqual([[small], [large], [small, small]]);
  });
});
