import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { ipv4Notations, printForms } from '@switchboard/testing/address-notations';
import { Canary } from '@switchboard/testing/canary';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** As a webhook that was registered before its address was refused. */
const moveSql = statement('t.move-webhook', 'UPDATE webhooks.webhook SET url = $2 WHERE id = $1');
/** Its network does not matter: no request is made. */
const PUBLIC_URL = 'https://1.1.1.1/';
/** The canary listens at the first; `own.localhost` is loopback everywhere. */
const forms = ['127.0.0.1', '169.254.169.254']
  .flatMap((address) =>
    Object.entries(ipv4Notations).map(([notation, write]) => ({ notation, host: write(address) ?? 'own.localhost' })),
  )
  .concat(['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[fe80::1]'].map((host) => ({ notation: 'IPv6', host })));
let running: RunningWebhooks;
let canary: Canary;

beforeAll(async () => {
  // By itself: it counts the sockets of this process as it begins.
  canary = await Canary.start();
  running = await startWebhooks(servers, 1, 0);
  await running.start({ WEBHOOKS_ALLOW_PRIVATE: 'false' });
});

beforeEach(() => canary.forget());

afterAll(() => canary.stop());

const urlOf = ({ host }: { readonly host: string }): string => `https://${host}:${canary.port}/hook`;

describe('one address of each notation that no request may reach', () => {
  it('is refused at registration', async () => {
    const customer = newCustomer(running);
    for (const form of forms) {
      const refused = customer.register(urlOf(form)).then(
        () => `registered ${form.host}`,
        (error: unknown) => Object(error).code as unknown,
      );
      expect([form, await refused]).toEqual([form, serviceErrors.VALIDATION_FAILED.code]);
    }
    expect(canary.seen().connections).toBe(0);
    printForms('registration by the service', forms);
  });

  it('is refused at delivery by the worker, and by a test send', async () => {
    const sent = await Promise.all(
      forms.map(async (form) => {
        const customer = newCustomer(running);
        const { id } = await customer.register(PUBLIC_URL);
        await running.superuser.query(moveSql, [id, urlOf(form)]);
        await customer.receive('hello');
        return { form, customer, id };
      }),
    );
    for (const { form, customer, id } of sent) {
      const [attempt] = await eventually(async () => {
        const attempts = await customer.attempts(id);
        return attempts.length > 0 && attempts;
      });
      const { error } = await running.gateway.call(testWebhookRpc, customer.principal, { id });
      expect([form, attempt?.kind, attempt?.error, error]).toEqual([
        form,
        'AUTOMATIC',
        'no allowed address',
        'no allowed address',
      ]);
    }
    expect(canary.seen().connections).toBe(0);
    printForms('delivery by the worker, and test sends', forms);
  });
});
