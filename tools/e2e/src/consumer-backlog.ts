import { topology } from '@switchboard/contracts/topology';
import { connectNats, type NatsConnection } from '@switchboard/nats/connection';

/** What the consumers of all services have still to do. */
export class ConsumerBacklog {
  private constructor(private readonly connection: NatsConnection) {}

  /** @param url with the administrator's credentials */
  static async of(url: string): Promise<ConsumerBacklog> {
    const { username: user, password, host } = new URL(url);
    return new ConsumerBacklog(await connectNats({ url: `nats://${host}`, user, password, onStatus: () => undefined }));
  }

  /** How many events are yet to be delivered, or wait for another try: one that fails is no dead letter before its eighth. */
  async size(): Promise<number> {
    const consumers = Object.values(topology).flatMap(({ consumes }) => [...consumes]);
    const sizes = await Promise.all(
      consumers.map(async ({ stream, name }) => {
        const info = await this.connection.request(`$JS.API.CONSUMER.INFO.${stream}.${name}`);
        const { num_pending, num_ack_pending } = info.json<{ num_pending: number; num_ack_pending: number }>();
        return num_pending + num_ack_pending;
      }),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
