import { connectNats, type NatsConnection } from '@switchboard/nats';

/** Connects to the broker of a stack. @param natsUrl with the credentials of a user who may do everything */
export async function connectAdministrator(
  natsUrl: string,
  onStatus: (status: string) => void = () => undefined,
): Promise<NatsConnection> {
  const url = new URL(natsUrl);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  return connectNats({ url: url.href.replace(/\/$/, ''), user, password, onStatus });
}
