import { describe, expect, it } from '@jest/globals';
import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { contactOf, NEW, OLD, said, world } from '../../test/sightings.js';
import { userAlias } from '../contact/alias.policy.js';

const [THIRD, FOURTH] = ['+12015550103', '+12015550104'];
const STOPPED = [{ channelId: 'cchannel1', source: 'KEYWORD' }];
/** The upstream notes in some second that a number has changed. */
const moved = (formerPhone: string, phone: string, second: number): Partial<ContactSighting> => ({
  phone,
  formerPhone,
  messagingId: phone.slice(1),
  isNote: true,
  statement: { id: `wamid.moved-${second}`, at: new Date(second * 1_000).toISOString() },
});

describe('what was said under a number before that changed, and comes behind the note of it', () => {
  it('is of the contact that moved, once, and not of the next of the number', () => {
    const { see, events } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, 100));
    expect(see(said('stop', 90, { phone: OLD }))).toMatchObject({ aliases: [OLD], optOuts: [] });
    expect(see({ phone: NEW })).toMatchObject({ id: 'c1', aliases: [NEW], optOuts: STOPPED });
    const before = events();
    see(said('stop', 90, { phone: OLD }));
    expect(events()).toBe(before);
    expect(see(said('start', 95, { phone: OLD })).optOuts).toEqual([]);
    expect(see({ phone: NEW }).optOuts).toEqual([]);
    // Said before it, it is over.
    see(said('stop', 92, { phone: OLD }));
    expect(see({ phone: NEW }).optOuts).toEqual([]);
  });

  it('and what is said behind it is of the next of the number', () => {
    const { see } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, 100));
    expect(see(said('stop', 101, { phone: OLD })).optOuts).toMatchObject(STOPPED);
    expect(see({ phone: NEW }).optOuts).toEqual([]);
  });

  it.each([
    ['in its second', 100, 100],
    ['at a time that could not be read', 100, 100.5],
    ['before a change whose time could not be read', 100.5, 99],
  ])('holds for both as a STOP %s, and lifts nothing as a START', (_, change, second) => {
    const { see } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, change));
    expect(see(said('stop', second, { phone: OLD })).optOuts).toMatchObject(STOPPED);
    expect(see({ phone: NEW })).toMatchObject({ id: 'c1', optOuts: STOPPED });
    see(said('start', second, { phone: OLD }));
    for (const phone of [OLD, NEW]) expect(see({ phone }).optOuts).toMatchObject(STOPPED);
  });

  it('goes along from number to number, and each change has those who had the number before', () => {
    const { see } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, 100));
    const next = see({ phone: OLD });
    see(moved(NEW, THIRD, 200));
    see(moved(OLD, FOURTH, 300));
    see(said('stop', 150, { phone: NEW }));
    expect(see({ phone: THIRD })).toMatchObject({ id: 'c1', optOuts: STOPPED });
    expect(see({ phone: FOURTH })).toMatchObject({ id: next.id, optOuts: [] });
    see(said('start', 160, { phone: NEW }));
    see(said('stop', 99, { phone: OLD }));
    // It said START since.
    expect(see({ phone: THIRD }).optOuts).toEqual([]);
    expect(see(said('stop', 250, { phone: OLD }))).toMatchObject({ aliases: [OLD], optOuts: [] });
    expect(see({ phone: FOURTH }).optOuts).toMatchObject(STOPPED);
    expect(see({ phone: THIRD }).optOuts).toEqual([]);
  });

  it('is of the contact that the new number had, and of one that it was merged into later', () => {
    const { see, ledger } = world(contactOf('c1', OLD), contactOf('c2', NEW), contactOf('c3', THIRD));
    see(moved(OLD, NEW, 100));
    see(said('stop', 90, { phone: OLD }));
    expect(ledger.find('c2')?.optOuts).toMatchObject(STOPPED);
    see(moved(NEW, THIRD, 200));
    see(said('start', 95, { phone: OLD }));
    expect(ledger.find('c3')).toMatchObject({ aliases: [THIRD], optOuts: [] });
  });

  it('is of the contact that has the number again', () => {
    const { see } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, 100));
    see(moved(NEW, OLD, 200));
    expect(see(said('stop', 90, { phone: OLD }))).toMatchObject({ id: 'c1', optOuts: STOPPED });
  });

  it('as a preference of the settings makes no contact of the number', () => {
    const { see, resolve } = world(contactOf('c1', OLD));
    see(moved(OLD, NEW, 100));
    expect(resolve({ ...said('stop', 90, { phone: OLD }), isNote: true })).toBeNull();
    expect(see({ phone: NEW }).optOuts).toMatchObject(STOPPED);
    expect(see({ phone: OLD }).optOuts).toEqual([]);
  });
});

describe('a message of before a number changed that names its person by the upstream’s own id, behind the note of it', () => {
  const late = { phone: OLD, messagingId: OLD.slice(1), upstreamUserId: 'U.1' };
  const at = (second: number): string => new Date(second * 1_000).toISOString();
  const person = contactOf('c1', OLD, { aliases: [OLD, userAlias('U.1')] });

  it('is of the person, and leaves the number to whoever has it next', () => {
    const { see } = world(person);
    see(moved(OLD, NEW, 100));
    const known = see({ phone: NEW });
    expect(see({ ...late, seenAt: at(90) })).toBe(known);
    const next = see({ ...late, upstreamUserId: 'U.2', seenAt: at(110) });
    expect(next).toMatchObject({ aliases: [OLD, userAlias('U.2')] });
    expect(see({ ...late, seenAt: at(95) })).toBe(known);
    expect(see(said('stop', 96, { ...late, seenAt: at(96) }))).toMatchObject({ id: 'c1', optOuts: STOPPED });
    expect(see({ phone: OLD })).toBe(next);
  });

  it('and what comes from the number later shows that the person has it again', () => {
    const { see } = world(person);
    see(moved(OLD, NEW, 100));
    expect(see({ ...late, seenAt: at(101) })).toMatchObject({ id: 'c1', aliases: [OLD, NEW, userAlias('U.1')] });
  });
});
