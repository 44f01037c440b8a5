import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { parsePhone } from '@switchboard/phone';
import { askAgain, testServers } from '@switchboard/testing';
import fc from 'fast-check';
import { getCountries, getExampleNumber, isValidPhoneNumber } from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

describe('contacts', () => {
  it('are one per subscriber, however its number is written and whichever call comes first: 60 countries and more', async () => {
    const examples = getCountries().flatMap((region) => {
      const example = getExampleNumber(region, mobileExamples);
      return example && parsePhone(example.number) ? [example] : [];
    });
    expect(examples.length).toBeGreaterThanOrEqual(60);
    const subscriber = fc
      .tuple(fc.constantFrom(...examples), fc.integer({ min: 0, max: 9_999 }))
      .map(([{ number }, tail]) => number.slice(0, -4) + String(tail).padStart(4, '0'))
      .filter((number) => isValidPhoneNumber(number));
    const { upsert, principal, organizationId } = organizationOf(running);
    const countries = new Set<string>();

    await fc.assert(
      fc.asyncProperty(fc.array(subscriber, { minLength: 10, maxLength: 10 }), async (numbers) => {
        const calls = numbers.flatMap((number) => {
          const aliases = parsePhone(number)?.aliases ?? [];
          countries.add(examples.find((example) => number.startsWith(`+${example.countryCallingCode}`))?.country ?? '');
          const forms = aliases.flatMap((alias) => [
            alias,
            alias.replace('+', '00'),
            `tel:${alias}`,
            `${alias.slice(0, 4)} (${alias.slice(4, 6)}) ${alias.slice(6, 9)}-${alias.slice(9)}`,
          ]);
          const sightings = aliases.map((phone) => ({ phone, profileName: null, messagingId: phone.slice(1) }));
          return [
            ...forms.map((phone) => askAgain(() => upsert({ phone })).then(({ contact: { id } }) => ({ number, id }))),
            askAgain(() => running.messaging.call(resolveContactsRpc, principal, { sightings })).then(
              ({ contacts }) => ({
                number,
                id: contacts[0]?.id ?? '',
              }),
            ),
          ];
        });
        const answers = await Promise.all(calls);
        for (const [, same] of Map.groupBy(answers, ({ number }) => parsePhone(number)?.aliases[0])) {
          expect(new Set(same.map(({ id }) => id)).size).toBe(1);
        }
      }),
      { numRuns: 40 },
    );
    expect(countries.size).toBeGreaterThanOrEqual(60);
    const [twice] = await running.superuser.dataSource.query(
      `SELECT count(*)::int AS contacts, (SELECT count(DISTINCT contact_id)::int FROM contacts.contact_alias
         WHERE organization_id = $1) AS owners FROM contacts.contact WHERE organization_id = $1`,
      [organizationId],
    );
    expect(twice.contacts).toBe(twice.owners);
  });
});
