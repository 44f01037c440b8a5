import { describe, expect, it } from '@jest/globals';
import { RequestKey } from './request-key.js';

describe('the key of what a form creates', () => {
  it('is the same for the same body, and another one for another body or form', () => {
    const form = new RequestKey();
    const first = form.headersOf({ label: 'Till' });
    expect(first['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(form.headersOf({ label: 'Till' })).toEqual(first);
    expect(form.headersOf({ label: 'Shop' })).not.toEqual(first);
    expect(new RequestKey().headersOf({ label: 'Till' })).not.toEqual(first);
  });
});
