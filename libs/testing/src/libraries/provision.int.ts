import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, provision, PROVISIONER, type NatsConnection } from '@switchboard/nats';
import { testServers, type TestNats } from '../index.js';

const servers = testServers();
const STREAM = 'CONTACTS';

let nats: TestNats;
let admin: NatsConnection;
let publisher: EventPublisher;
beforeAll(async () => {
  nats = await servers.nats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
});

async function loseStream(): Promise<void> {
  await admin.request(`$JS.API.STREAM.DELETE.${STREAM}`, '', { timeout: 20_000 });
}

async function publish(): Promise<void> {
  const id = newCuid();
  await publisher.publish({ id, subject: contactChanged.subject, payload: '{}', traceparent: null });
}

describe('provisioning', () => {
  it('may run at any time and by several at once, and keeps what is in the streams', async () => {
    const provisioner = await nats.connect(PROVISIONER);
    await publish();
    const before = await publisher.streamState();
    await Promise.all([1, 2, 3].map(() => provision(provisioner, 1)));
    expect(await publisher.streamState()).toEqual(before);
    await loseStream();
    expect(await publisher.streamState()).toBeNull();
    await Promise.all([1, 2, 3].map(() => provision(provisioner, 1)));
    // The store is lost right after it was looked at.
    const { request } = provisioner;
    let losses = 2;
    provisioner.request = async (...args) => {
      const answer = await request.apply(provisioner, args);
      if (args[0].endsWith(`INFO.${STREAM}`) && losses-- > 0) await loseStream();
      return answer;
    };
    await provision(provisioner, 1);
    expect(await publisher.streamState()).toMatchObject({ lastSequence: 0 });
  });
});
