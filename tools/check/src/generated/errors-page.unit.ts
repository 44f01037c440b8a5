import { describe, expect, it } from '@jest/globals';
import { errorRegistry } from '@switchboard/contracts/error-registry';
import { errorsPage } from './errors-page.js';

describe('docs/errors.md', () => {
  it('lists every code once, by status and code', () => {
    const define = (code: string, status: number) => ({ code, status, message: 'a | b', retry: 'later' as const });
    const page = errorsPage([define('B', 404), define('A', 404), define('C', 400)]);
    expect([...page.matchAll(/^\| `(\w)`/gm)].map((match) => match[1])).toEqual(['C', 'A', 'B']);
    expect(page).toContain('a \\| b');
  });

  it('says of no failure that may come after an effect that its request may simply be sent again', () => {
    const failures = [...errorRegistry.values()].filter(({ status }) => status >= 500);
    expect(failures.map(({ retry }) => retry)).toEqual(failures.map(() => 'if-repeatable'));
    expect(errorsPage(failures)).toMatch(/^- `if-repeatable`: .*`Idempotency-Key`.*`X-Message-Id`/m);
  });
});
