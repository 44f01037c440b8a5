import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Stage } from '@switchboard/chaos/stage';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiAnswer } from './api.js';
import { callerOf } from './caller-of-stage.js';

/** What an erasure that has been answered promises, as tests. */
export const describeErasureFence = (running: () => Stage): void =>
  describe('an erasure that has been answered, with two replicas of messaging and two of contacts', () => {
    let stage: Stage;
    let acme: Api;
    let phones = 0;

    beforeAll(() => {
      stage = running();
      acme = callerOf(stage);
    });

    it('has the next send begin a new contact', async () => {
      const again: boolean[] = [];
      for (let round = 0; round < 50; round++) {
        const { phone, contactId } = await somebody();
        expect((await erase(contactId)).status).toBe(204);
        again.push((await acme.send(phone, 'second')).body?.['contactId'] === contactId);
      }
      expect(again.filter(Boolean)).toEqual([]);
    });

    it('fails no later send, while the upstream takes none', async () => {
      const people = await Promise.all(Array.from({ length: 20 }, somebody));
      await stage.simulator.turn({ errorRate: { 130429: 1 } });
      const sent = await Promise.all(
        people.map(async ({ phone, contactId }) => {
          await acme.send(phone, 'before');
          expect((await erase(contactId)).status).toBe(204);
          return (await acme.send(phone, 'after')).body?.id;
        }),
      );
      await stage.simulator.turn({ errorRate: {} });
      for (const id of sent) {
        const state = await eventually(
          async () => {
            const { body } = await acme.get(`/v1/messages/${id}`);
            return body?.['status'] !== 'QUEUED' && body?.['status'];
          },
          { deadlineMs: 60_000 },
        );
        expect([id, state]).not.toEqual([id, 'FAILED']);
      }
    });

    it('holds while the broker stands still', async () => {
      const people = [await somebody(), await somebody(), await somebody()];
      const nats = stage.stack.process('nats');
      process.kill(nats.pid, 'SIGSTOP');
      try {
        for (const { phone, contactId } of people) {
          // A call that could not be confirmed in time is made again.
          await eventually(async () => [204, 404].includes((await erase(contactId)).status), { deadlineMs: 60_000 });
          const second = await acme.send(phone, 'second');
          expect(second.status).toBe(200);
          expect(second.body?.['contactId']).not.toBe(contactId);
        }
      } finally {
        process.kill(nats.pid, 'SIGCONT');
      }
    });

    async function somebody(): Promise<{ readonly phone: string; readonly contactId: string }> {
      const phone = `+1415${5_570_000 + ++phones}`;
      const sent = await acme.send(phone, 'first');
      expect(sent.status).toBe(200);
      return { phone, contactId: String(sent.body?.['contactId']) };
    }

    function erase(contactId: string): Promise<ApiAnswer> {
      return acme.ask('DELETE', `/v1/contacts/${contactId}`);
    }
  });
