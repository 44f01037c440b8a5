import type { NatsConnection } from '@switchboard/nats';
import { eventually } from '../index.js';

/** Again, when a request was lost: the client drops what it is given between a broken connection and the next try to connect. */
export async function deleteStream(admin: NatsConnection, stream: string): Promise<void> {
  await eventually(async () => {
    await admin.request(`$JS.API.STREAM.DELETE.${stream}`, '', { timeout: 5_000 });
    return true;
  });
}
