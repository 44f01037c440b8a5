import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { attemptsOf, LaneStore } from '../../test/lane-store.js';
import { MessagingStore, settlementOf } from '../../test/messaging-store.js';
import { markedAttempts, markedAttemptsOfChannel } from './marked-attempts.repository.js';

const servers = testServers();
let store: MessagingStore;
beforeAll(async () => {
  store = await MessagingStore.open(servers);
  await store.lengthenMarks();
});

describe('attempts that are waited for', () => {
  it('are those to a number of the organization alone: another one writes to the same people', async () => {
    const [sender, other] = [await store.sender(), await store.sender()];
    const attempt = await store.attempt(sender);
    const [{ phone = '' } = {}] = sender.contacts;
    const to = { contactIds: [], phoneForms: [phone], channelIds: ['*'] };
    const { organizationId } = sender;
    expect(await markedAttempts(store.database, { organizationId, ...to })).toEqual([attempt.messageId]);
    expect(await markedAttempts(store.database, { ...other, ...to })).toEqual([]);
  });

  it('are those of the channel alone that is disconnected', async () => {
    const sender = await store.sender();
    const attempt = await store.attempt(sender);
    const of = (channelId: string): Promise<string[]> =>
      markedAttemptsOfChannel(store.database, { ...sender, channelId });
    expect([await of(sender.channelId), await of('cother')]).toEqual([[attempt.messageId], []]);
  });
});

describe('a bulk message that is to be sent again', () => {
  it.each(['contact', 'contact_phone'])(
    'is not marked while the fence of opt-outs holds its row of %s',
    async (table) => {
      const lanes = await LaneStore.anew(store);
      const job = lanes.job(await store.sender());
      await lanes.submit(job);
      const claim = async (): Promise<string[]> => {
        await lanes.look();
        return attemptsOf(await lanes.claim(), job).map(({ messageId }) => messageId);
      };
      const [attempt] = attemptsOf(await lanes.claim(), job);
      if (!attempt) throw new Error('nothing was claimed');
      await store.settle(settlementOf(attempt, { state: 'not-taken', code: '1', message: 'later', retry: 'normal' }));
      await lanes.letPass(3_600_000);
      const fence = await store.superuser.connect();
      try {
        await fence.query('BEGIN');
        await fence.query(`SELECT FROM messaging.${table} WHERE organization_id = $1 FOR UPDATE`, [
          job.sender.organizationId,
        ]);
        expect(await claim()).toEqual([]);
      } finally {
        await fence.query('ROLLBACK');
        fence.release();
      }
      await lanes.letPass(3_600_000);
      expect(await claim()).toEqual([attempt.messageId]);
    },
  );
});
