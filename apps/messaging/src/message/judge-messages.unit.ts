import { describe, expect, it } from '@jest/globals';
import { unlessUnheld, type Candidate } from './judge-messages.repository.js';

const [organizationId, phone] = ['cacme', '+14155550123'];
const accepted = { verdict: 'accepted', contactId: 'ccontact' } as Candidate;

function verdict(contactIds: readonly string[], phones: readonly string[], to: string | null = phone): string {
  const has = (key: { organizationId: string; phone: string }): boolean =>
    key.organizationId === organizationId && phones.includes(key.phone);
  return unlessUnheld(accepted, { organizationId, phone: to }, { contactIds: new Set(contactIds), has }).verdict;
}

describe('a message that passed its judgement', () => {
  it('passes where its contact and its number are held, and has to come again where one of them became known since', () => {
    expect(verdict(['ccontact'], [phone])).toBe('accepted');
    expect(verdict([], [phone])).toBe('contact-unknown');
    expect(verdict(['ccontact'], [])).toBe('contact-unknown');
    expect(verdict(['canother'], ['+14155550124'])).toBe('contact-unknown');
    expect(verdict(['ccontact'], [phone], null)).toBe('contact-unknown');
  });
});
