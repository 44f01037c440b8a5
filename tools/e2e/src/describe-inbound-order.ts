import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Stage } from '@switchboard/chaos/stage';
import { eventually } from '@switchboard/testing/eventually';
import { Simulator, type Api } from './api.js';
import { callerOf } from './caller-of-stage.js';

const PEOPLE = 10;

/** In which order a person's messages stand in their conversation, as tests. */
export const describeInboundOrder = (running: () => Stage): void =>
  describe('what people write, with two replicas of messaging and two of contacts', () => {
    let stage: Stage;
    let acme: Api;
    let simulator: Simulator;
    let people = 0;

    beforeAll(() => {
      stage = running();
      acme = callerOf(stage);
      simulator = new Simulator(stage.stack.devJson.simulatorUrl ?? '');
    });

    it('stands in the order in which it came, within a second too', async () => {
      const texts = Array.from({ length: 60 }, (_, n) => `message ${n}`);
      const phones = await write(texts);
      for (const phone of phones) expect(await conversationOf(phone, texts.length)).toEqual(texts);
    });

    it('stands so behind an outage of contacts', async () => {
      const texts = Array.from({ length: 40 }, (_, n) => `message ${n}`);
      const contacts = ['contacts', 'contacts-2'].map((name) => stage.stack.process(name));
      for (const { pid } of contacts) process.kill(pid, 'SIGSTOP');
      const phones = await write(texts);
      // A restart: what is asked of them meanwhile has no answer.
      await Promise.all(contacts.map((one) => one.kill('SIGKILL')));
      await Promise.all(contacts.map((one) => one.restarted()));
      for (const phone of phones) expect(await conversationOf(phone, texts.length)).toEqual(texts);
    });

    /** Each callback is answered before the next is sent. @returns the numbers that wrote */
    async function write(texts: readonly string[]): Promise<string[]> {
      const phones = Array.from({ length: PEOPLE }, () => `+1415${5_590_000 + ++people}`);
      for (const text of texts) {
        await Promise.all(phones.map((phone) => simulator.post('inbound', { from: phone.slice(1), text })));
      }
      return phones;
    }

    async function conversationOf(phone: string, length: number): Promise<unknown[]> {
      const contacts = `/v1/contacts?phone=${encodeURIComponent(phone)}`;
      const stored = await eventually(async () => {
        const contactId = (await acme.get(contacts)).body?.items?.[0]?.id;
        if (contactId === undefined) return undefined;
        const { items = [] } = (await acme.get(`/v1/messages?contactId=${contactId}&limit=100`)).body ?? {};
        return items.length === length && items;
      });
      return stored.map((message) => message['text']).toReversed();
    }
  });
