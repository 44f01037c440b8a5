import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, provision, PROVISIONER, type NatsConnection } from '@switchboard/nats';
import { testServers, type TestNats } from '../index.js';
import { deleteStream } from './delete-stream.js';

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
  await deleteStream(admin, STREAM);
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
  it('leaves the replicas of existing streams as they are, unless it is given a number', async () => {
    const provisioner = await nats.connect(PROVISIONER);
    // The one server here holds one replica: this answers as a cluster of three does, and notes what it is asked to change.
    const { request } = provisioner;
    const updates: [subject: string, replicas: number][] = [];
    provisioner.request = async (...args) => {
      const [subject, body] = args;
      const update = /\.STREAM\.UPDATE\.(.+)$/.exec(subject)?.[1];
      if (update !== undefined) {
        const { num_replicas: asked } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as Replicated;
        updates.push([update, asked]);
      }
      if (!/\.STREAM\.(INFO|UPDATE)\./.test(subject)) return request.apply(provisioner, args);
      const answer = await request.call(provisioner, subject.replace('.UPDATE.', '.INFO.'), '', { timeout: 20_000 });
      const said = answer.json<{ config: Replicated }>();
      said.config.num_replicas = 3;
      return Object.defineProperty(answer, 'data', { value: Buffer.from(JSON.stringify(said)) });
    };
    await provision(provisioner);
    expect(updates).toEqual([]);
    await provision(provisioner, 3);
    expect(updates).toEqual([]);
    await provision(provisioner, 5);
    expect(updates).toContainEqual([STREAM, 5]);
  });
});

interface Replicated {
  num_replicas: number;
}
