import { describe, expect, it } from '@jest/globals';
import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { newCuid, newCuidAt } from '@switchboard/contracts/grammar/cuid';
import { isOneLine } from '@switchboard/contracts/grammar/one-line';
import { contactOf, NEW, OLD, optOut, said, world } from '../../test/sightings.js';
import { userAlias } from '../contact/alias.policy.js';

const MEXICO = ['+5215512345678', '+525512345678'];
const MOVED_AT = '2026-01-02T00:00:00.000Z';
const LATER_MS = Date.parse(MOVED_AT) + 1_000;
const moved = (phone: string, formerPhone: string, id = 'wamid.move', at = MOVED_AT): Partial<ContactSighting> => ({
  phone,
  formerPhone,
  messagingId: phone.slice(1),
  statement: { id, at },
});

describe('a sighting', () => {
  it('goes above what a restore has lost for a STOP, and not for a START that removes nothing', () => {
    const floor = Date.now();
    const known = contactOf(newCuid(), OLD, { version: 5, versionFloor: floor, optOuts: [optOut('copt', '*')] });
    expect(world(known).see(said('start', 1, { phone: OLD }))).toMatchObject({ version: 6, optOuts: known.optOuts });
    const own = { ...known, optOuts: [optOut('copt', 'cchannel1')] };
    expect(world(own).see(said('stop', 1, { phone: OLD }))).toMatchObject({ version: floor + 1, optOuts: own.optOuts });
    const theirs = { ...known, optOuts: [optOut('copt', 'cchannel1', 'KEYWORD')] };
    expect(world(theirs).see(said('start', 1, { phone: OLD }))).toMatchObject({ version: floor + 1, optOuts: [] });
  });

  it('leaves the opt-outs that a joined or a copied contact took over to the one that goes on: they are replaced with its erasure', () => {
    const appliedStatements = { moves: [], preferences: {}, takenGroups: ['a group'] };
    const [former, current] = [contactOf('cf', OLD, { appliedStatements }), contactOf('cg', NEW)];
    const joined = world(former, current);
    expect(joined.see({ phone: NEW, messagingId: OLD.slice(1) })).toMatchObject({ id: 'cg', appliedStatements });
    expect(joined.ledger.find('cf')?.appliedStatements?.takenGroups).toBeUndefined();
    // By its own last answer it is another account: a copy.
    const other = { ...former, messagingId: '12015550109', optOuts: [optOut('copt', '*')] };
    const copied = world(other, current).see({ phone: NEW, messagingId: OLD.slice(1) });
    expect(copied.optOuts).toMatchObject([{ channelId: '*' }]);
    expect(copied.appliedStatements?.takenGroups).toBeUndefined();
  });

  it('and a report that is taken into account already go above nothing', () => {
    const known = contactOf(newCuid(), OLD, { version: 5, versionFloor: Date.now() });
    const { ledger } = world(known);
    ledger.acknowledge(known, ['cevent']);
    expect(ledger.steps).toMatchObject([{ after: { version: 5 }, observed: ['cevent'] }]);
    expect(ledger.writes()).toEqual([]);
  });

  it('makes a contact under every written form, and finds it under each', () => {
    const { see, events } = world();
    const made = see({ phone: MEXICO[1], profileName: ' Ana ' });
    expect(made).toMatchObject({ phone: MEXICO[1], aliases: MEXICO, messagingId: '525512345678', name: 'Ana' });
    expect(see({ phone: MEXICO[0] })).toBe(made);
    expect(events()).toBe(1);
  });

  it("takes the upstream's id once it is known, and adds the number that it is", () => {
    const { see } = world(contactOf('c1', OLD));
    expect(see({ phone: OLD, messagingId: NEW.slice(1) })).toMatchObject({
      id: 'c1',
      phone: OLD,
      messagingId: NEW.slice(1),
      aliases: [OLD, NEW],
      version: 2,
    });
    expect(see({ phone: NEW }).id).toBe('c1');
  });

  it('fills an empty name, cleaned and cut, and never replaces one', () => {
    const { see } = world(contactOf('c1', OLD), contactOf('c2', NEW, { name: 'Bo' }));
    expect(see({ phone: OLD, profileName: `\0${'😀'.repeat(300)}\ud800` }).name).toBe('😀'.repeat(256));
    expect(see({ phone: NEW, profileName: 'Other' })).toMatchObject({ name: 'Bo', version: 1 });
  });

  it('takes a name of the provider as one line that shows what it is: the API takes it as well', () => {
    const { see } = world();
    const { name } = see({
      phone: OLD,
      profileName: '\tAna\r\n\u202eBell\u2066\u0007 \u05e9\u200f\u2028👩\u200d👧\u009f',
    });
    expect(name).toBe('Ana Bell \u05e9\u200f 👩\u200d👧');
    expect(isOneLine(name ?? '')).toBe(true);
    expect(see({ phone: NEW, profileName: '\u202e\n\u0007' }).name).toBeNull();
  });

  it('takes a name with nothing to see for none', () => {
    const { see } = world(contactOf('c1', OLD));
    expect(see({ phone: OLD, profileName: '\u2060\u3164' })).toMatchObject({ name: null, version: 1 });
  });
});

describe('a sighting that names its contact', () => {
  it('is of that contact alone, or of the one that goes on for it', () => {
    const { see } = world(contactOf('c1', '', { mergedInto: 'c2' }), contactOf('c2', OLD));
    const seen = see({ contactId: 'c1', phone: OLD, messagingId: NEW.slice(1) });
    expect(seen).toMatchObject({ id: 'c2', aliases: [OLD, NEW], messagingId: NEW.slice(1) });
  });

  it('changes nothing and makes none when the number leads to that contact no more', () => {
    const { see, events } = world(contactOf('c1', '+12015550103'), contactOf('c2', OLD));
    expect(see({ contactId: 'c1', phone: OLD, messagingId: NEW.slice(1) })).toMatchObject({ id: 'c1', version: 1 });
    expect(see({ contactId: 'c1', phone: NEW, messagingId: NEW.slice(1) }).id).toBe('c1');
    expect(events()).toBe(0);
  });
});

describe("the upstream's own id of a person", () => {
  it('makes a contact without a phone, found again by that id', () => {
    const { see, events } = world();
    const made = see({ upstreamUserId: 'U.1', profileName: 'Ana' });
    expect(made).toMatchObject({ phone: '', messagingId: 'U.1', aliases: [userAlias('U.1')], name: 'Ana' });
    expect(see({ upstreamUserId: 'U.1' })).toBe(made);
    expect(events()).toBe(1);
  });

  it('gets the phone that is seen with it later, and the contact keeps its id', () => {
    const { see } = world();
    const { id } = see({ upstreamUserId: 'U.1' });
    expect(see({ upstreamUserId: 'U.1', phone: MEXICO[0], messagingId: '525512345678' })).toMatchObject({
      id,
      phone: MEXICO[0],
      messagingId: '525512345678',
      aliases: [...MEXICO, userAlias('U.1')],
    });
    expect(see({ phone: MEXICO[1] }).id).toBe(id);
    const digits = world();
    digits.see({ upstreamUserId: 'U.1' });
    expect(digits.see({ upstreamUserId: 'U.1', phone: OLD }).messagingId).toBe(OLD.slice(1));
  });

  it('joins the contact of a phone that is known, which gets the consent of the one without', () => {
    const nameless = contactOf('c1', '', { aliases: [userAlias('U.1')], optOuts: [optOut('co1', 'cchannel1')] });
    const { see, ledger } = world(nameless, contactOf('c2', OLD));
    const joined = see({ upstreamUserId: 'U.1', phone: OLD });
    expect(joined).toMatchObject({ id: 'c2', aliases: [OLD, userAlias('U.1')] });
    expect(joined.optOuts).toEqual(nameless.optOuts);
    expect(ledger.find('c1')).toMatchObject({ aliases: [], optOuts: [], mergedInto: 'c2' });
    expect(see({ upstreamUserId: 'U.1' }).id).toBe('c2');
  });

  it.each([
    ['alone', [userAlias('U.1')]],
    ['with a number of its own', [OLD, userAlias('U.1')]],
  ])('that leads to a contact %s takes along what was said there: repeated it changes nothing', (_, aliases) => {
    const { see } = world(contactOf('c1', '', { aliases }), contactOf('c2', NEW));
    see(said('start', 1, { upstreamUserId: 'U.1' }));
    see(said('stop', 2, { upstreamUserId: 'U.1' }));
    const joined = see({ upstreamUserId: 'U.1', phone: NEW });
    expect(joined.optOuts).toHaveLength(1);
    expect(see(said('start', 1, { upstreamUserId: 'U.1' }))).toBe(joined);
    expect(see(said('start', 3, { upstreamUserId: 'U.1' })).optOuts).toEqual([]);
  });
});

describe('a change of number', () => {
  it('to a number that has a contact takes along what was said and which numbers changed: repeated it changes nothing', () => {
    const third = '+12015550103';
    const { see, ledger } = world(contactOf('c1', OLD), contactOf('c2', NEW));
    see(moved(third, OLD, 'wamid.1'));
    see(said('stop', 1, { phone: third }));
    ledger.change(see({ phone: third }), { optOuts: [] });
    const after = see(moved(NEW, third, 'wamid.2'));
    expect(after).toMatchObject({ id: 'c2', appliedStatements: { moves: ['wamid.1', 'wamid.2'] } });
    expect(see(said('stop', 1, { phone: NEW }))).toBe(after);
  });

  it('keeps the contact, its opt-outs and its name, and frees the old forms for another person', () => {
    const { see } = world(
      contactOf('c1', MEXICO[0] ?? '', { aliases: MEXICO, name: 'Ana', optOuts: [optOut('co1', '*')] }),
    );
    const after = see(moved(NEW, MEXICO[1] ?? ''));
    expect(after).toMatchObject({ id: 'c1', phone: NEW, messagingId: NEW.slice(1), aliases: [NEW], name: 'Ana' });
    expect(after.optOuts).toEqual([optOut('co1', '*')]);
    const stranger = see({ phone: MEXICO[0] });
    expect(stranger).toMatchObject({ phone: MEXICO[0], aliases: MEXICO, optOuts: [] });
    expect(stranger.id).not.toBe('c1');
  });

  it('repeated changes nothing, even when another person has the old number by then', () => {
    const { see, events } = world(contactOf('c1', OLD));
    see(moved(NEW, OLD));
    const stranger = see({ phone: OLD });
    const before = events();
    expect(see(moved(NEW, OLD)).id).toBe('c1');
    expect(see({ phone: OLD })).toBe(stranger);
    expect(events()).toBe(before);
  });

  it('to a number that has a contact gives that one the opt-outs it lacks, and leaves the other without a number', () => {
    const left = contactOf('c1', OLD, {
      aliases: [OLD, userAlias('U.1')],
      optOuts: [optOut('co1', 'cchannel1', 'KEYWORD'), optOut('co2', 'cchannel2')],
    });
    const { see, ledger } = world(left, contactOf('c2', NEW, { optOuts: [optOut('co3', 'cchannel2', 'UPSTREAM')] }));
    const after = see(moved(NEW, OLD));
    expect(after).toMatchObject({ id: 'c2', phone: NEW, aliases: [NEW, userAlias('U.1')] });
    expect(after.optOuts).toEqual([optOut('co1', 'cchannel1', 'KEYWORD'), optOut('co3', 'cchannel2', 'API')]);
    expect(ledger.find('c1')).toMatchObject({ phone: OLD, aliases: [], optOuts: [], mergedInto: 'c2' });
    expect(ledger.findGoingOn('c1')).toBe(after);
    expect(see({ phone: OLD }).id).not.toBe('c1');
  });

  it('leads on: what was merged before stands for the last', () => {
    const third = '+12015550103';
    const { see, ledger } = world(contactOf('c1', OLD), contactOf('c2', NEW), contactOf('c3', third));
    see(moved(NEW, OLD, 'wamid.1'));
    see(moved(third, NEW, 'wamid.2'));
    expect(ledger.findGoingOn('c1')?.id).toBe('c3');
    expect(ledger.writes().map(({ after }) => after.mergedInto)).toEqual(['c3', 'c3', null]);
  });

  it('of a person who is known by an id too leaves the contact of another number its opt-outs', () => {
    const other = contactOf('c1', OLD, { aliases: [OLD, userAlias('U.1')], optOuts: [optOut('co1', '*')] });
    const { see, ledger } = world(other, contactOf('c2', NEW));
    expect(see({ upstreamUserId: 'U.1', phone: NEW }).optOuts).toEqual([optOut('cnew1', '*')]);
    expect(ledger.find('c1')).toMatchObject({ aliases: [OLD], optOuts: other.optOuts, mergedInto: null });
  });

  it('of an unknown person makes no contact', () => {
    const { resolve, events } = world();
    expect(resolve({ ...moved(NEW, OLD), isNote: true })).toBeNull();
    expect(events()).toBe(0);
  });

  it('that comes late moves no contact that has stated something since, and gives its opt-outs to the new number too', () => {
    const { see, resolve, ledger } = world(contactOf('c1', OLD));
    const after = see(said('stop', LATER_MS / 1_000, { phone: OLD }));
    const note = { ...moved(NEW, OLD), isNote: true };
    expect([resolve(note), see({ phone: OLD })]).toEqual([null, after]);
    const next = see({ phone: NEW });
    expect(next).toMatchObject({ aliases: [NEW], optOuts: [{ source: 'KEYWORD' }] });
    ledger.change(next, { optOuts: [] });
    expect(resolve(note)).toMatchObject({ id: next.id, optOuts: [] });
  });

  it('that comes late gives the opt-outs to the contact of the new number, once', () => {
    const { see, ledger } = world(contactOf('c1', OLD), contactOf('c2', NEW));
    const after = see(said('stop', LATER_MS / 1_000, { phone: OLD }));
    const known = see(moved(NEW, OLD));
    expect([known, see({ phone: OLD })]).toMatchObject([{ id: 'c2', optOuts: [{ source: 'KEYWORD' }] }, after]);
    ledger.change(known, { optOuts: [] });
    expect(see(moved(NEW, OLD)).optOuts).toEqual([]);
  });

  it('that comes late moves no contact that has the number by a later change, or was made a day later', () => {
    const third = '+12015550103';
    const changed = world(contactOf('c1', third));
    changed.see(moved(OLD, third, 'wamid.1', new Date(LATER_MS).toISOString()));
    expect(changed.resolve({ ...moved(NEW, OLD, 'wamid.2'), isNote: true })).toBeNull();
    expect(changed.see({ phone: OLD }).id).toBe('c1');
    const made = (ms: number): unknown =>
      world(contactOf(newCuidAt(ms), OLD)).resolve({ ...moved(NEW, OLD), isNote: true });
    expect([made(LATER_MS), made(LATER_MS + 86_400_000)]).toMatchObject([{ phone: NEW }, null]);
  });

  it.each(['API', 'CONSOLE'] as const)(
    'of before the contact was made leaves an opt-out by %s to its number, and gives it to the new one too',
    (source) => {
      const known = contactOf(newCuidAt(LATER_MS), OLD, { optOuts: [optOut('copt', '*', source)] });
      const { see, resolve } = world(known);
      expect([resolve({ ...moved(NEW, OLD), isNote: true }), see({ phone: OLD })]).toEqual([null, known]);
      expect(see({ phone: NEW }).optOuts).toMatchObject([{ channelId: '*', source }]);
      const met = world(known, contactOf('c2', NEW));
      expect(met.see(moved(NEW, OLD))).toMatchObject({ id: 'c2', optOuts: [{ channelId: '*', source }] });
      expect(met.see({ phone: OLD })).toBe(known);
      // Made before the number changed, it is the person’s.
      const before = { ...known, id: newCuidAt(LATER_MS - 3_600_000) };
      expect(world(before).see(moved(NEW, OLD))).toMatchObject({ id: before.id, phone: NEW });
    },
  );

  it.each([
    ['has both numbers', [OLD, NEW], {}],
    ['is known by an id too', [OLD, userAlias('U.1')], { upstreamUserId: 'U.1' }],
  ])('that comes late moves the contact that %s: it is the person', (_, aliases, by) => {
    const { see } = world(contactOf('c1', OLD, { aliases }));
    see(said('stop', LATER_MS / 1_000, { phone: OLD }));
    expect(see({ ...moved(NEW, OLD), ...by })).toMatchObject({
      id: 'c1',
      phone: NEW,
      optOuts: [{ source: 'KEYWORD' }],
    });
  });

  it('never takes a form that is another contact’s', () => {
    const { see, ledger } = world(contactOf('c1', OLD, { aliases: [OLD, NEW] }), contactOf('c2', '+12015550103'));
    see({ ...moved(NEW, OLD), messagingId: '12015550103' });
    expect(ledger.find('c1')?.aliases).toEqual([NEW]);
    expect(ledger.find('c2')?.aliases).toEqual(['+12015550103']);
  });
});
