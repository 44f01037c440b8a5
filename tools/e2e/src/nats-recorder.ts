import { connectNats, inboxPrefix, type NatsConnection } from '@switchboard/nats';

/** A message as it was on the broker. */
export interface RecordedMessage {
  /** Its subject; for an answer, `answer of <subject of the request>`. */
  readonly label: string;
  readonly subject: string;
  readonly headers: string;
  readonly payload: string;
}

/** Hears everything that anybody publishes, answers and deliveries included: with the administrator's rights. */
export class NatsRecorder {
  readonly messages: RecordedMessage[] = [];
  private asked = 0;
  private readonly questions = new Map<string, string>();

  private constructor(private readonly connection: NatsConnection) {
    connection.subscribe('>', {
      callback: (_error, message) => {
        const { subject, reply = '' } = message;
        if (reply !== '' && !reply.startsWith('$JS.ACK.')) this.questions.set(reply, subject);
        const question = this.questions.get(subject);
        const headers = message.headers?.keys().map((key) => `${key}: ${message.headers?.values(key).join()}`) ?? [];
        const label = question === undefined ? subject : `answer of ${question}`;
        this.messages.push({ label, subject, headers: headers.join('\n'), payload: message.string() });
      },
    });
  }

  /** @param url with the administrator's credentials */
  static async start(url: string): Promise<NatsRecorder> {
    const { username: user, password, host } = new URL(url);
    const connection = await connectNats({ url: `nats://${host}`, user, password, onStatus: () => undefined });
    const recorder = new NatsRecorder(connection);
    await connection.flush();
    return recorder;
  }

  /** Publishes as somebody who may do everything. */
  async publish(subject: string, payload: string): Promise<void> {
    this.connection.publish(subject, payload);
    await this.connection.flush();
  }

  /** Asks in the name of a caller: who answers may send to the inboxes of his callers alone. */
  async ask(caller: string, subject: string, payload: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const reply = `${inboxPrefix(caller)}.recorder.${++this.asked}`;
    this.connection.subscribe(reply, { max: 1, callback: (_error, message) => resolve(message.string()) });
    this.connection.publish(subject, payload, { reply });
    return promise;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
