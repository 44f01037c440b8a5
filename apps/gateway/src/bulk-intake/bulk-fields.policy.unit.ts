import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import fc from 'fast-check';
import { fieldsOf, readBody } from '../http/input/read-input.js';
import { slimFields } from './bulk-fields.policy.js';
import { BulkSendFields } from './send-template.body.js';

const names = fieldsOf(BulkSendFields);

/** What a bulk send takes of a body, or why that is refused. */
function verdictOf(body: object, hints = ''): unknown {
  try {
    const { template, ...fields } = readBody(BulkSendFields, body);
    return { ...fields, template: template && [template.name, template.language] };
  } catch (error) {
    if (error instanceof AppError) return error.message + hints;
    throw error;
  }
}

describe('the fields of a bulk send that are handed to the event loop', () => {
  it('are read, or refused, as those of the body itself', () => {
    const value = fc.oneof(
      fc.constantFrom('c1234567', '2030-01-01', 60, null),
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({ name: fc.jsonValue({ maxDepth: 1 }), language: fc.constantFrom('en', ''), more: fc.jsonValue() }),
    );
    const name = fc.constantFrom(...names, 'sendAt', 'TemplateId', 'channel', 'x');
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (body) => {
        const { fields, hints } = slimFields(body);
        expect(verdictOf(fields, hints)).toEqual(verdictOf(body));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, object]>([
    ['no language', { name: 'order' }],
    ['an empty name', { name: '', language: 'en' }],
    ['a language that is too long', { name: 'order', language: 'e'.repeat(513) }],
  ])('are refused with all that is expected of a template where it has %s', (_what, template) => {
    const expected = 'must be null or an object with `name` and `language`, each of 1 to 512 characters';
    expect(verdictOf({ template })).toBe(`\`template\` ${expected}`);
  });

  it('are no others, and hold nothing that is large', () => {
    const large = Array.from({ length: 1_000 }, () => ({}));
    const body = {
      ...Object.fromEntries(names.map((name) => [name, { large }])),
      scheduledAt: large,
      template: { name: 'order', language: { large }, large },
      large,
    };
    expect(slimFields(body).fields).toEqual({
      templateId: {},
      template: { name: 'order', language: {} },
      messagingChannelId: {},
      throttlePerHour: {},
      scheduledAt: [],
    });
  });
});
