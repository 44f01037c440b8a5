import { expect, it } from '@jest/globals';
import type { Log } from '@switchboard/platform';
import { FakeClock } from '@switchboard/testing/fake-clock';
import type { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import type { ContactChange } from '../contact/change-contacts.js';
import type { AccountWalkRepository, WalkedContact, WalkedTo } from './account-walk.repository.js';
import { JoinAccountsWorker } from './join-accounts.worker.js';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const apart = (organizationId: string): WalkedContact => {
  return { organizationId, id: 'c1', phone: '+12015550101', messagingId: '12015550102', accountOf: 'c2' };
};
const BEGIN: WalkedTo = { organizationId: '', id: '' };

it('the walk over accounts goes on behind an organization that is locked, and comes back to it before it is over', async () => {
  const contacts = ['calice', 'cbob', 'ccarol'].map(apart);
  let kept: WalkedTo | null = BEGIN;
  const walk: Partial<AccountWalkRepository> = {
    find: async () => kept,
    slice: async ({ organizationId }) => contacts.filter((one) => one.organizationId > organizationId).slice(0, 1),
    advance: async (_, { organizationId, id }) => void (kept = { organizationId, id }),
    end: async () => void (kept = null),
  };
  let locked = 'cbob';
  const joined: string[] = [];
  const change = async ({ organizationId }: ContactChange<unknown>): Promise<boolean> => {
    if (organizationId === locked) throw new Error('locked');
    return joined.push(organizationId) > 0;
  };
  const batch = { change } as Partial<ChangeContactsBatch> as ChangeContactsBatch;
  const worker = new JoinAccountsWorker(walk as AccountWalkRepository, batch, new FakeClock(), log);
  const rounds = async (): Promise<void> => {
    while ((await worker.round()) !== false) continue;
  };
  await rounds();
  expect([joined, kept]).toEqual([['calice', 'ccarol'], { organizationId: 'calice', id: 'c1' }]);
  locked = '';
  await rounds();
  expect([joined, kept]).toEqual([['calice', 'ccarol', 'cbob', 'ccarol'], null]);
});
