import { describe, expect, it } from '@jest/globals';
import { TenantByTenant } from './tenant-by-tenant.js';

const lockTimeout = Object.assign(new Error('lock timeout'), { code: '55P03', severity: 'ERROR' });
const items = ['a', 'b', 'b', 'c'].map((organizationId) => ({ organizationId }));

/** Works for all but those named. */
function run(failing: readonly string[], error: Error = new Error('away')) {
  const reported: string[] = [];
  const done: string[] = [];
  const tenants = new TenantByTenant((organizationId) => void reported.push(organizationId));
  const each = (of = items): Promise<number> =>
    tenants.each(of, async ({ organizationId }) => {
      if (failing.includes(organizationId)) throw error;
      done.push(organizationId);
    });
  return { tenants, each, reported, done };
}

describe('work tenant by tenant', () => {
  it('goes on behind a tenant whose work fails, and leaves that one alone', async () => {
    const { tenants, each, reported, done } = run(['b']);
    expect(await each()).toBe(2);
    expect(done).toEqual(['a', 'c']);
    expect(reported).toEqual(['b']);
    expect(tenants.leftAlone()).toEqual(['b']);
    await each();
    expect(reported).toEqual(['b']);
  });

  it('throws when everything fails, and pauses no tenant: what is away is away for all', async () => {
    const { tenants, each, reported } = run(['a', 'b', 'c']);
    await expect(each()).rejects.toThrow('away');
    expect([reported, tenants.leftAlone()]).toEqual([[], []]);
  });

  it('waits for no tenant with those that it works for at once, and keeps the order of each', async () => {
    const tenants = new TenantByTenant(() => undefined);
    const [first, begun] = [Promise.withResolvers<void>(), [] as string[]];
    const works = ['a', 'b', 'a', 'c', 'b'].map((organizationId, place) => ({ organizationId, place }));
    const all = tenants.each(
      works,
      async ({ organizationId, place }) => {
        begun.push(`${organizationId}${place}`);
        if (organizationId === 'a') await first.promise;
        if (begun.length === 4) first.resolve();
      },
      3,
    );
    expect(await all).toBe(5);
    expect(begun).toEqual(['a0', 'b1', 'c3', 'b4', 'a2']);
  });

  it('takes a lock for a matter of its tenant, also when nothing else is to be done', async () => {
    const { tenants, each, reported } = run(['b'], lockTimeout);
    expect(await each([{ organizationId: 'b' }])).toBe(0);
    expect([reported, tenants.leftAlone()]).toEqual([['b'], ['b']]);
  });
});
