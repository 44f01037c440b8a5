import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import type { AppAnswer, AppBody, AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { appClient } from './app-client.js';
import type { SimulatedLine, Simulator } from './api.js';
import type { Canary } from './canary.js';
import { EventStreamReader } from './event-stream-reader.js';
import type { Person } from './people.js';

/** What a walk through the application's API leaves behind. */
export interface AppWalk {
  /** `METHOD /path/:id` of every route that answered with success. */
  readonly used: ReadonlySet<string>;
  /** Statuses of all answers. */
  readonly statuses: ReadonlySet<number>;
  /** Passwords, secrets and tokens that were used, good ones and bad ones, and addresses of people. */
  readonly canaries: readonly Canary[];
}

/**
 * Uses every route of the application's API, rightly and wrongly, with values that are easy to find again.
 *
 * @param owner of an organization with a free seat and a free channel; keeps the password
 */
export async function walkThroughApp(baseUrl: string, owner: Person, simulator: Simulator): Promise<AppWalk> {
  const walk = new Walk(baseUrl);
  const page = await walk.signedIn(owner);
  const invited = { email: `${walk.value('email')}@people.example`, password: walk.value('password') };
  walk.add('address of a person', invited.email);
  await walk.failures(page, owner, invited);
  const figures = ['analytics/usage', 'analytics/delivery', 'analytics/templates'];
  const lists = [
    'session',
    'organization',
    'plan',
    'members',
    'invites',
    'api-keys',
    'audit-log',
    'messages',
    'channels',
    ...figures,
  ];
  for (const list of lists) {
    await walk.ask(page, 'GET', `/app/api/${list}`);
  }
  await walk.ask(page, 'PATCH', '/app/api/organization', { isSecondFactorRequired: false });
  await walk.channels(page, await simulator.addLine(walk.value('access-token')));
  await walk.bulkSends(page);
  await walk.inbox(page);
  await walk.webhooks(page, simulator);
  const key = await walk.ask(page, 'POST', '/app/api/api-keys', { label: walk.value('label') });
  walk.add('secret of a key', String(key?.['secret']));
  await walk.ask(page, 'POST', '/app/api/api-keys/:id/revoke', undefined, key?.id);
  const dropped = await walk.ask(page, 'POST', '/app/api/invites', { email: invited.email, role: 'MEMBER' });
  await walk.ask(page, 'DELETE', '/app/api/invites/:id', undefined, dropped?.id);
  const invite = await walk.ask(page, 'POST', '/app/api/invites', { email: invited.email, role: 'MEMBER' });
  for (const one of [dropped, invite]) walk.add('token of an invitation', String(one?.['token']));
  const guest = appClient(baseUrl);
  const acceptance = { token: invite?.['token'], name: walk.value('name'), password: invited.password };
  const accepted = await walk.ask(guest, 'POST', '/app/api/invites/accept', acceptance);
  const { id: organizationId } = Object(accepted?.['organization']) as { id: string };
  await walk.ask(guest, 'POST', '/app/api/switch-organization', { organizationId });
  const next = walk.value('password');
  await walk.ask(guest, 'POST', '/app/api/password', { current: invited.password, new: next });
  await walk.ask(guest, 'POST', '/app/api/sign-out');
  await walk.secondFactor({ ...invited, password: next });
  const spare = await walk.signedIn({ ...invited, password: next });
  const own = await walk.ask(spare, 'GET', '/app/api/sessions');
  await walk.ask(spare, 'DELETE', '/app/api/sessions/:id', undefined, own?.items?.[0]?.id);
  const again = await walk.signedIn({ ...invited, password: next });
  await walk.ask(again, 'POST', '/app/api/sign-out-everywhere');
  const members = await walk.ask(page, 'GET', '/app/api/members');
  const member = members?.items?.find(({ user }) => Object(user).email === invited.email);
  await walk.ask(page, 'PATCH', '/app/api/members/:id', { role: 'ADMIN' }, member?.id);
  await walk.ask(page, 'DELETE', '/app/api/members/:id', undefined, member?.id);
  await walk.ask(page, 'POST', '/app/api/sign-out');
  return walk;
}

class Walk implements AppWalk {
  readonly used = new Set<string>();
  readonly statuses = new Set<number>();
  readonly canaries: Canary[] = [];

  constructor(private readonly baseUrl: string) {}

  add(what: string, value: string): void {
    this.canaries.push({ kind: 'secret', what, value });
  }

  /** A new canary. */
  value(what: string): string {
    const value = `canary-${what}-${randomBytes(6).toString('hex')}`;
    this.add(what, value);
    return value;
  }

  async signedIn({ email, password }: Person): Promise<AppClient> {
    const page = appClient(this.baseUrl);
    await this.ask(page, 'POST', '/app/api/sign-in', { email, password });
    return page;
  }

  /** One request to a route. @param id in place of the path's, as the delivery's */
  async ask(
    page: AppClient,
    method: string,
    route: string,
    body?: unknown,
    id = '',
    deliveryId = '',
  ): Promise<AppBody | null> {
    const path = route.replace(':id', id).replace(':deliveryId', deliveryId);
    const answer = this.seen(page, await page.ask(method, path, body));
    if (answer.status < 300) this.used.add(`${method} ${route}`);
    return answer.body;
  }

  /** A second factor from its seed to its end. */
  async secondFactor(person: Person): Promise<void> {
    const page = await this.signedIn(person);
    const { password } = person;
    await this.ask(page, 'GET', '/app/api/second-factor');
    const begun = await this.ask(page, 'POST', '/app/api/second-factor', { password });
    const seed = String(begun?.['seed']);
    this.add('seed of a second factor', seed);
    const code = new TOTP({ secret: seed }).generate();
    const enabled = await this.ask(page, 'POST', '/app/api/second-factor/enable', { code });
    const codes = enabled?.['recoveryCodes'] as readonly string[];
    const renewed = await this.ask(page, 'POST', '/app/api/second-factor/recovery-codes', { password, code: codes[0] });
    const left = renewed?.['recoveryCodes'] as readonly string[];
    for (const one of [...codes, ...left]) this.add('recovery code', one);
    await this.ask(page, 'POST', '/app/api/second-factor/disable', { password, code: left[0] });
  }

  /** A channel from its connection to its end. */
  async channels(page: AppClient, line: SimulatedLine): Promise<void> {
    const channel = await this.ask(page, 'POST', '/app/api/channels', line);
    const { accessToken } = line;
    this.seen(page, await page.post('/app/api/channels', { ...line, accessToken: this.value('wrong-token') }));
    await this.ask(page, 'GET', '/app/api/channels/:id', undefined, channel?.id);
    await this.ask(page, 'POST', '/app/api/channels/:id/test', undefined, channel?.id);
    await this.ask(page, 'POST', '/app/api/channels/:id/disconnect', undefined, channel?.id);
    await this.ask(page, 'PATCH', '/app/api/channels/:id', { accessToken }, channel?.id);
  }

  /** Templates, and a bulk send from its acceptance to its end. */
  async bulkSends(page: AppClient): Promise<void> {
    const templates = await this.ask(page, 'GET', '/app/api/templates');
    await this.ask(page, 'GET', '/app/api/templates/:id', undefined, templates?.items?.[0]?.id);
    const job = await this.ask(page, 'POST', '/app/api/templates/send', {
      template: { name: 'welcome', language: 'en_US' },
      recipients: [{ to: '+14155550199' }],
      scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await this.ask(page, 'GET', '/app/api/templates/send');
    for (const path of ['', '/recipients']) {
      await this.ask(page, 'GET', `/app/api/templates/send/:id${path}`, undefined, job?.id);
    }
    for (const action of ['pause', 'resume', 'cancel']) {
      await this.ask(page, 'POST', `/app/api/templates/send/:id/${action}`, undefined, job?.id);
    }
  }

  /** A contact from its creation to an answered conversation and an opt-out; another one that is erased. */
  async inbox(page: AppClient): Promise<void> {
    const phone = '+14155550188';
    const contact = await this.ask(page, 'POST', '/app/api/contacts', { phone, name: 'Walk' });
    await this.ask(page, 'GET', '/app/api/contacts');
    await this.ask(page, 'GET', '/app/api/contacts/:id', undefined, contact?.id);
    const message = await this.ask(page, 'POST', '/app/api/messages', { to: phone, text: 'walk' });
    await this.ask(page, 'GET', '/app/api/messages/:id', undefined, message?.id);
    await this.ask(page, 'GET', '/app/api/messages/:id/timeline', undefined, message?.id);
    const conversationId = String(message?.['conversationId']);
    await this.ask(page, 'GET', '/app/api/conversations');
    for (const path of ['', '/messages']) {
      await this.ask(page, 'GET', `/app/api/conversations/:id${path}`, undefined, conversationId);
    }
    await this.ask(page, 'PATCH', '/app/api/conversations/:id', { status: 'PENDING' }, conversationId);
    const optOut = await this.ask(page, 'POST', '/app/api/opt-outs', { phone });
    await this.ask(page, 'GET', '/app/api/opt-outs');
    await this.ask(page, 'GET', '/app/api/opt-outs/:id', undefined, optOut?.id);
    await this.ask(page, 'DELETE', '/app/api/opt-outs/:id', undefined, optOut?.id);
    await this.ask(page, 'GET', '/app/api/sandbox');
    await this.ask(page, 'POST', '/app/api/sandbox/inbound', { from: phone, text: 'walk' });
    await this.ask(page, 'POST', '/app/api/sandbox/read', { messageId: message?.id });
    for (const value of ['stop', 'resume']) {
      await this.ask(page, 'POST', '/app/api/sandbox/preferences', { from: phone, value });
    }
    const erased = await this.ask(page, 'POST', '/app/api/contacts', { phone: '+14155550187', name: 'Walk' });
    await this.ask(page, 'DELETE', '/app/api/contacts/:id', undefined, erased?.id);
    const stream = await EventStreamReader.open(this.baseUrl, page.cookie);
    await stream.close();
    this.used.add('GET /app/api/events');
  }

  /** A webhook from its registration to its end; nothing listens where it leads to. */
  async webhooks(page: AppClient, simulator: Simulator): Promise<void> {
    const one = '/app/api/webhooks/:id';
    const events = ['message.received'];
    const { id } = (await this.ask(page, 'POST', '/app/api/webhooks', { url: 'http://127.0.0.1:9/', events })) ?? {};
    await this.ask(page, 'GET', '/app/api/webhooks');
    await this.ask(page, 'GET', one, undefined, id);
    await this.ask(page, 'PATCH', one, { events: [...events, 'message.read'] }, id);
    await this.ask(page, 'GET', `${one}/secret`, undefined, id);
    await this.ask(page, 'POST', `${one}/rotate-secret`, undefined, id);
    await this.ask(page, 'POST', `${one}/test`, undefined, id);
    await this.ask(page, 'POST', `${one}/enable`, undefined, id);
    await simulator.post('inbound', { from: '4915123450777', text: 'walk' });
    const attempted = async (): Promise<string | undefined> => {
      const { items } = (await this.ask(page, 'GET', `${one}/attempts`, undefined, id)) ?? {};
      return items?.find(({ event }) => event === 'message.received')?.['deliveryId'] as string | undefined;
    };
    const deliveryId = await eventually(attempted, { deadlineMs: 30_000 });
    await this.ask(page, 'GET', `${one}/deliveries/:deliveryId`, undefined, id, deliveryId);
    await this.ask(page, 'POST', `${one}/deliveries/:deliveryId/redeliver`, undefined, id, deliveryId);
    await this.ask(page, 'POST', `${one}/replay`, { since: '2026-01-01', dryRun: true }, id);
    await this.ask(page, 'DELETE', one, undefined, id);
  }

  /** What goes wrong: at sign-in, without a session, with an unknown one, from elsewhere, in the wrong place. */
  async failures(page: AppClient, owner: Person, outsider: Person): Promise<void> {
    const stranger = appClient(this.baseUrl);
    const wrong = this.value('password');
    const bad = [
      { email: owner.email, password: wrong },
      outsider,
      { email: wrong, password: wrong },
      { email: [outsider.email], password: { [wrong]: wrong } },
    ];
    for (const body of bad) this.seen(stranger, await stranger.post('/app/api/sign-in', body));
    const secret = randomBytes(32).toString('base64url');
    this.add('secret of no session', secret);
    const cookie = `switchboard_session=${secret}`;
    const queries = [`email=${outsider.email}`, `token=${secret}`, `password=${wrong}`].join('&');
    this.seen(page, await page.ask('GET', `/app/api/members?cursor=${secret}&${queries}`));
    this.seen(page, await page.ask('GET', `/app/api/${secret}?${queries}`));
    this.seen(page, await page.ask('DELETE', `/app/api/members/${outsider.email}`));
    this.seen(page, await page.ask('POST', '/app/api/invites', { email: wrong, role: secret }));
    this.seen(page, await page.ask('POST', '/app/api/password', { current: wrong, new: wrong }));
    this.seen(page, await page.ask('POST', '/app/api/sign-out', undefined, { 'x-csrf-token': secret }));
    this.seen(page, await page.ask('POST', '/app/api/sign-out', undefined, { origin: `https://${wrong}.example` }));
    this.seen(stranger, await stranger.ask('GET', '/app/api/session', undefined, { cookie }));
    this.seen(stranger, await stranger.post('/app/api/invites/accept', { token: secret, password: wrong }));
  }

  private seen(page: AppClient, answer: AppAnswer): AppAnswer {
    this.statuses.add(answer.status);
    const known = new Set(this.canaries.map(({ value }) => value));
    const secrets = { 'secret of a session': page.cookie?.split('=')[1], 'token of a session': page.csrfToken };
    for (const [what, value] of Object.entries(secrets)) if (value && !known.has(value)) this.add(what, value);
    return answer;
  }
}
