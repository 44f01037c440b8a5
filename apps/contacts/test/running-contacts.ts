import { contactsConfig } from '../src/contacts.config.js';
import { ContactsModule } from '../src/contacts.module.js';
import { contactsMigrations } from '../src/migrations/all.js';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import {
  applySuppressionsRpc,
  forgetContactRpc,
  getChannelRpc,
  type ContactToForget,
  type SuppressionFacts,
} from '@switchboard/contracts/messaging/rpc';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import { PullConsumer, RpcServerStrategy, type NatsConnection, type RpcClient } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import { createLog, refusalOf, rpcFailure, startService } from '@switchboard/platform';
import type { TestServers } from '@switchboard/testing';
import { PatientRpcClient } from '@switchboard/testing/patient-rpc-client';

/** Two replicas of the contacts service on real servers, with a stand-in for messaging. */
export interface RunningContacts {
  /** As the gateway calls. */
  readonly gateway: RpcClient;
  /** As messaging calls. */
  readonly messaging: RpcClient;
  readonly connection: NatsConnection;
  readonly superuser: Database;
  /** As a replica has it. */
  readonly database: Database;
  /** What the fence was given, in order. */
  readonly fenced: ContactFacts[];
  /** What it was given with them: contacts that were merged into theirs. */
  readonly fencedMerged: (readonly ContactFacts[])[];
  /** Erased contacts that the fence was given, in order. */
  readonly forgotten: ContactToForget[];
  /** Channels that messaging knows; contacts learns them by asking. */
  readonly channels: Map<string, { readonly organizationId: string; readonly defaultRegion: string }>;
  /** What a call is refused with while messaging does not confirm; null when it is not refused. */
  unconfirmed(call: () => Promise<unknown>): Promise<unknown>;
  /** Gathers the events of a consumer from now on. */
  receive(consumer: ConsumerTopology): EventEnvelope[];
}

/** Starts it all; ended after the tests. */
export async function startContacts(servers: TestServers): Promise<RunningContacts> {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  const nats = await servers.nats();
  const config = contactsConfig({
    DATABASE_URL: prepared.url,
    NATS_URL: nats.url,
    NATS_USER: 'contacts',
    NATS_PASSWORD: nats.password,
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  for (const log of [createLog('contacts'), createLog('contacts')]) {
    const running = await startService({ service: 'contacts', config, log, module: ContactsModule.of(config) });
    servers.onEnd(running.stop);
  }
  const connection = await nats.connect('messaging');
  const fenced: ContactFacts[] = [];
  const forgotten: ContactToForget[] = [];
  const fencedMerged: (readonly ContactFacts[])[] = [];
  const channels: RunningContacts['channels'] = new Map();
  const gateway = new PatientRpcClient(await nats.connect('gateway'));
  let isFenceDown = false;
  await answer(connection, {
    [applySuppressionsRpc.subject]: ({ request }) => {
      if (isFenceDown) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
      const { contact, merged = [] } = request as SuppressionFacts;
      fenced.push(contact);
      fencedMerged.push(merged);
      return {};
    },
    [forgetContactRpc.subject]: ({ request }) => {
      if (isFenceDown) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
      forgotten.push(request as ContactToForget);
      return {};
    },
    [getChannelRpc.subject]: ({ request, principal }) => {
      const { id } = request as { id: string | null };
      const known = id === null ? undefined : channels.get(id);
      if (known?.organizationId !== principal.organizationId) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
      const line = { name: 'support', phone: '+12015550181', status: 'CONNECTED', isDefault: false };
      return { channel: { id, ...line, defaultRegion: known.defaultRegion } };
    },
  });
  return {
    gateway,
    messaging: new PatientRpcClient(connection),
    connection,
    superuser: await prepared.superuser(),
    database: await prepared.database(),
    fenced,
    fencedMerged,
    forgotten,
    channels,
    unconfirmed: async (call) => {
      isFenceDown = true;
      gateway.isPatient = false;
      try {
        return await call().then(
          () => null,
          (error: unknown) => error,
        );
      } finally {
        isFenceDown = false;
        gateway.isPatient = true;
      }
    },
    receive: (consumer) => {
      const received: EventEnvelope[] = [];
      const pull = new PullConsumer({
        connection,
        consumer,
        batchMax: 500,
        handle: async (events) => events.map(({ envelope }) => (received.push(envelope), { ack: true })),
        onMalformed: (_subject, error) => Promise.reject(error),
        onError: () => undefined,
      });
      pull.start();
      servers.onEnd(() => pull.stop());
      return received;
    },
  };
}

interface Call {
  readonly request: unknown;
  readonly principal: { readonly organizationId: string };
}

async function answer(connection: NatsConnection, answers: Record<string, (call: Call) => unknown>): Promise<void> {
  const log = createLog('stand-in');
  const strategy = new RpcServerStrategy({
    connection,
    service: 'messaging',
    inFlightMax: 1_000,
    failureOf: (error, subject) => rpcFailure(refusalOf(error, log, subject)),
  });
  for (const [subject, handler] of Object.entries(answers)) {
    strategy.addHandler(subject, async (call: Call) => handler(call));
  }
  strategy.listen(() => undefined);
  await connection.flush();
}
