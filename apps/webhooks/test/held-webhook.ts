import type { SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import type { RunningWebhooks } from './running-webhooks.js';

/** A webhook of a new customer whose receiver holds its first request, of a received message. */
// A return type would say that of `newCustomer` again.
export async function heldWebhook(running: RunningWebhooks, path: string, events: readonly SubscribableEvent[]) {
  const customer = newCustomer(running);
  const request = Promise.withResolvers<() => void>();
  const url = running.receiver.at(path, (response) => request.resolve(() => void response.end()));
  const { id } = await customer.register(url, { events });
  await customer.receive('1');
  const end = await request.promise;
  return {
    customer,
    id,
    /** Ends that request; those behind it are answered at once. */
    release: () => {
      running.receiver.at(path, status(204));
      end();
    },
  };
}
