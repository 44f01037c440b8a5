import { describe, expect, it } from '@jest/globals';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import fc from 'fast-check';
import { quotaMonthOf } from '../quota/quota.repository.js';
import { QuotaAllocator, type QuotaAsk } from './allocate.policy.js';

const idAt = (iso: string): string => `${cuidFloor(new Date(iso))}0123456789abcdef`;

describe('what is left of quotas', () => {
  const months = [idAt('2026-11-30T23:59:59.999Z'), idAt('2026-12-01T00:00:00.000Z')];
  const asks = fc.array(
    fc.record({
      organizationId: fc.constantFrom('calice', 'cbob'),
      messageId: fc.constantFrom(...months),
      messagesMax: fc.option(fc.nat({ max: 6 }), { freq: 5 }),
    }),
    { maxLength: 20 },
  );

  it('is allocated to a batch as to its messages one by one, and what it takes holds exactly as long as that is so', () => {
    fc.assert(
      fc.property(asks, fc.array(fc.nat({ max: 5 }), { minLength: 4, maxLength: 4 }), (all, used) => {
        const before = (ask: Pick<QuotaAsk, 'organizationId' | 'messageId'>): number =>
          used[Number(ask.organizationId === 'cbob') * 2 + months.indexOf(ask.messageId)] ?? 0;
        const seen = all.map((ask) => ({ ...ask, used: before(ask) }));
        const taken = new Map<string, number>();
        const oneByOne = seen.map((ask) => {
          const key = `${ask.organizationId} ${quotaMonthOf(ask.messageId)}`;
          const { fits } = allocateQuota([{ ...ask, used: ask.used + (taken.get(key) ?? 0) }]);
          if (fits[0]) taken.set(key, (taken.get(key) ?? 0) + 1);
          return fits[0];
        });
        const { fits, takes } = allocateQuota(seen);
        expect(fits).toEqual(oneByOne);
        expect(new Map(takes.map((take) => [`${take.organizationId} ${take.month}`, take.messages]))).toEqual(taken);
        // One more used than was seen: those that fitted fit still, or the bound says that they do not.
        for (const take of takes) {
          const own = seen.filter(
            (ask, index) =>
              fits[index] && ask.organizationId === take.organizationId && quotaMonthOf(ask.messageId) === take.month,
          );
          const fitsWith = (count: number): boolean =>
            allocateQuota(own.map((ask) => ({ ...ask, used: count }))).fits.every(Boolean);
          expect(fitsWith(take.usedBeforeMax)).toBe(true);
          if (take.usedBeforeMax < 1_000) expect(fitsWith(take.usedBeforeMax + 1)).toBe(false);
        }
      }),
    );
  });
});

function allocateQuota(
  asks: readonly QuotaAsk[],
): { readonly fits: readonly boolean[] } & Pick<QuotaAllocator, 'takes'> {
  const allocator = new QuotaAllocator();
  return { fits: asks.map((ask) => allocator.allocate(ask)), takes: allocator.takes };
}
