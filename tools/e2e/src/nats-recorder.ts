import { serviceNames } from '@switchboard/contracts/topology';
import { connectNats, inboxPrefix, type NatsConnection } from '@switchboard/nats/connection';
import { administratorOf, BROKER_ACCOUNT } from '@switchboard/nats/nats-accounts';

/** A message as it was on the broker. */
export interface RecordedMessage {
  /** Its subject; for an answer, `answer of <subject of the request>`. */
  readonly label: string;
  readonly subject: string;
  readonly headers: string;
  readonly payload: string;
}

/**
 * Hears everything that anybody publishes, answers and deliveries included, once: with the rights of the administrator of each
 * account. An event is heard where the streams are; what one account imports of another, where it arrives.
 */
export class NatsRecorder {
  readonly messages: RecordedMessage[] = [];
  private asked = 0;
  private readonly questions = new Map<string, string>();

  /** @param connections by account */
  private constructor(private readonly connections: ReadonlyMap<string, NatsConnection>) {
    for (const [account, connection] of connections) {
      connection.subscribe('>', {
        callback: (_error, message) => {
          const { subject, reply = '' } = message;
          if (reply !== '' && !reply.startsWith('$JS.ACK.')) this.questions.set(reply, subject);
          if (!arrivesIn(account, subject)) return;
          const question = this.questions.get(subject);
          const headers = message.headers?.keys().map((key) => `${key}: ${message.headers?.values(key).join()}`) ?? [];
          const label = question === undefined ? subject : `answer of ${question}`;
          this.messages.push({ label, subject, headers: headers.join('\n'), payload: message.string() });
        },
      });
    }
  }

  /** @param url with the credentials of the broker's administrator */
  static async start(url: string): Promise<NatsRecorder> {
    const { password, host } = new URL(url);
    const connections = new Map<string, NatsConnection>();
    for (const account of [BROKER_ACCOUNT, ...serviceNames]) {
      const user = administratorOf(account);
      const options = { url: `nats://${host}`, user, password, onStatus: () => undefined };
      connections.set(account, await connectNats(options));
    }
    const recorder = new NatsRecorder(connections);
    for (const connection of connections.values()) await connection.flush();
    return recorder;
  }

  /** Publishes an event as somebody who may do everything. */
  async publish(subject: string, payload: string): Promise<void> {
    const connection = this.of(BROKER_ACCOUNT);
    connection.publish(subject, payload);
    await connection.flush();
  }

  /** Asks in the name of a caller. */
  async ask(caller: string, subject: string, payload: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const reply = `${inboxPrefix(caller)}.recorder.${++this.asked}`;
    const connection = this.of(caller);
    connection.subscribe(reply, { max: 1, callback: (_error, message) => resolve(message.string()) });
    connection.publish(subject, payload, { reply });
    return promise;
  }

  async close(): Promise<void> {
    for (const connection of this.connections.values()) await connection.close();
  }

  private of(account: string): NatsConnection {
    const connection = this.connections.get(account);
    if (!connection) throw new Error(`there is no account ${account}`);
    return connection;
  }
}

/** Whether a message has reached the account that it is for, and so is not heard in another one as well. */
function arrivesIn(account: string, subject: string): boolean {
  if (account === BROKER_ACCOUNT) return !subject.startsWith('_R_.');
  const arriving = [`rpc.${account}.`, `${inboxPrefix(account)}.`, 'announce.', 'wake.'];
  return arriving.some((prefix) => subject.startsWith(prefix));
}
