import { beforeAll, describe, expect, it } from '@jest/globals';
import { templateStatuses, type TemplateView } from '@switchboard/contracts/templates/http';
import type { SeededOrganization } from '@switchboard/dev';
import { eventually } from '@switchboard/testing/eventually';
import { signedInClient } from './app-client.js';
import type { Api, ApiAnswer } from './api.js';
import { NatsRecorder } from './nats-recorder.js';
import { personIn } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const STATUS_UPDATED = 'templates.template.status-updated.v1';

describe('templates in everything that npm start starts', () => {
  let all: UsableStack;
  let acme: Api;
  let organization: SeededOrganization;

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme } = all);
    const [first] = all.stack.devJson.organizations ?? [];
    if (!first) throw new Error('dev.json has no organization');
    organization = first;
  });

  const itemsOf = ({ body }: ApiAnswer): TemplateView[] => (body?.items ?? []) as unknown as TemplateView[];
  const list = async (query = '', by = acme): Promise<TemplateView[]> =>
    itemsOf(await by.get(`/v1/templates?limit=100${query}`));
  const byName = async (name: string, language = 'en_US'): Promise<TemplateView> => {
    const found = (await list(`&search=${name}`)).find((one) => one.name === name && one.language === language);
    if (!found) throw new Error(`no template ${name}`);
    return found;
  };
  const changed = async (name: string, status: string): Promise<TemplateView> =>
    eventually(async () => {
      const template = await byName(name);
      return template.status === status && template;
    });

  it('are there when it is ready, as dev.json says, one of each status, of each format and with each kind of variable', async () => {
    const templates = (await list()).reverse();
    expect(organization.templates).toEqual(
      templates.map(({ id, name, language, status, parameterFormat, variables }) => {
        return { id, name, language, status, parameterFormat, variables: variables.length };
      }),
    );
    expect([...new Set(templates.map(({ status }) => status))].sort()).toEqual([...templateStatuses].sort());
    const kinds = new Set(
      templates.flatMap(({ parameterFormat, variables }) => variables.map((one) => `${parameterFormat} ${one.in}`)),
    );
    expect([...kinds].sort()).toEqual([
      'NAMED BODY',
      'NAMED BUTTON',
      'NAMED HEADER',
      'POSITIONAL BODY',
      'POSITIONAL BUTTON',
      'POSITIONAL HEADER',
    ]);
    const first = templates.find(({ status }) => status === 'APPROVED');
    const { id: channelId } = organization.channels?.find(({ isDefault }) => isDefault) ?? {};
    expect(first).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      source: 'upstream',
      name: 'order_confirmation',
      language: 'en_US',
      status: 'APPROVED',
      businessAccountId: expect.stringMatching(/^\d{15}$/),
      messagingChannelId: channelId,
      upstreamTemplateId: expect.stringMatching(/^\d{15}$/),
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is confirmed.', example: expect.anything() }],
      parameterFormat: 'POSITIONAL',
      variables: [
        { name: '1', in: 'BODY' },
        { name: '2', in: 'BODY' },
      ],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await acme.get(`/v1/templates/${first?.id}`)).body).toEqual(first);
  });

  it('are filtered by each parameter, and walked page by page without a repetition', async () => {
    const whole = await list();
    const ids = (templates: readonly TemplateView[]): string[] => templates.map(({ id }) => id);
    const where = (test: (template: TemplateView) => boolean): string[] => ids(whole.filter(test));
    const [{ businessAccountId } = { businessAccountId: '' }] = whole;
    expect(ids(await list('&status=PAUSED'))).toEqual(where(({ status }) => status === 'PAUSED'));
    expect(ids(await list('&language=es'))).toEqual(where(({ language }) => language === 'es'));
    expect(ids(await list('&search=ORDER_'))).toEqual(where(({ name }) => name.includes('order_')));
    expect(ids(await list('&search=%25'))).toEqual([]);
    expect(ids(await list(`&businessAccountId=${businessAccountId}`))).toEqual(ids(whole));
    expect(ids(await list('&businessAccountId=1'))).toEqual([]);
    for (const { id } of organization.channels ?? []) {
      expect(ids(await list(`&messagingChannelId=${id}`))).toEqual(ids(whole));
    }
    expect(ids(await list('&messagingChannelId=c0000000'))).toEqual([]);
    const walked: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: ApiAnswer = await acme.get(`/v1/templates?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...ids(itemsOf(page)));
      cursor = page.body?.nextCursor;
    }
    expect(walked).toEqual(ids(whole));
    expect([...walked].sort().reverse()).toEqual(walked);
  });

  it.each([
    ['limit=0', 'limit'],
    ['status=approved', 'status'],
    [`businessAccountId=${'1'.repeat(129)}`, 'businessAccountId'],
    ['search=', 'search'],
    [`search=${'a'.repeat(201)}`, 'search'],
    ['messagingChannelId=7', 'messagingChannelId'],
    ['language=', 'language'],
    ['status=PAUSED&status=PAUSED', 'status'],
  ])('are refused with a parameter that is not valid, by its name: %#', async (query, field) => {
    const { status, body } = await acme.get(`/v1/templates?${query}`);
    expect([status, body?.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body?.error?.message).toContain(`\`${field}\``);
  });

  it('of another organization are not found', async () => {
    const { id } = await byName('welcome');
    for (const path of [id, 'c0000000']) {
      const { status, body } = await all.globex.get(`/v1/templates/${path}`);
      expect([status, body?.error?.code]).toEqual([404, 'TEMPLATE_NOT_FOUND']);
    }
    const own = new Set((await list()).map((one) => one.id));
    const others = await list('', all.globex);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((one) => own.has(one.id))).toEqual([]);
  });

  it('are shown to members of the application as the API shows them', async () => {
    const page = await signedInClient(all.baseUrl, personIn(organization, 'MEMBER'));
    const { body } = await page.get('/app/api/templates?limit=100');
    expect(body?.items).toEqual(await list());
    const { id } = await byName('welcome');
    expect((await page.get(`/app/api/templates/${id}`)).body).toEqual(await byName('welcome'));
  });

  it('follow the callbacks of the upstream, one event a change; the list brings what is new and disables what vanished', async () => {
    const recorder = await NatsRecorder.start(all.stack.devJson.natsUrl);
    try {
      const { businessAccountId: wabaId } = await byName('welcome');
      const tell = (event: string): Promise<void> =>
        all.simulator.post('template-status', { wabaId, name: 'welcome', event });
      await tell('PAUSED');
      const paused = await changed('welcome', 'PAUSED');
      await tell('FLAGGED');
      await tell('PAUSED');
      await tell('UNPAUSED');
      await changed('welcome', 'APPROVED');

      const kept = (await list()).filter(({ name }) => name === 'order_confirmation' || name === 'welcome');
      const drafts = kept.map(({ name, language, components, category, upstreamTemplateId }) => ({
        id: upstreamTemplateId,
        name,
        language,
        components,
        category,
      }));
      const fresh = { id: '424242', name: 'brand_new', language: 'pt_BR', components: [{ type: 'BODY', text: 'Oi' }] };
      await all.simulator.put('templates', { wabaId, items: [...drafts, fresh] });
      await all.simulator.post('template-status', {
        wabaId,
        id: '424242',
        name: 'brand_new',
        language: 'pt_BR',
        event: 'APPROVED',
      });
      expect(await eventually(async () => (await list('&language=pt_BR'))[0])).toMatchObject({
        name: 'brand_new',
        status: 'APPROVED',
        upstreamTemplateId: '424242',
      });
      await changed('appointment_reminder', 'DISABLED');

      const events = await eventually(() => {
        const heard = recorder.messages
          .filter(({ subject }) => subject === STATUS_UPDATED)
          .map(({ payload }) => JSON.parse(payload) as StatusUpdated)
          .filter(({ organizationId }) => organizationId === organization.id);
        // What the broker hands to consumers is heard as well, under the same subject.
        const own = [...new Map(heard.map((event) => [event.id, event])).values()];
        return own.some(({ data }) => data.template.name === 'appointment_reminder') && own;
      });
      expect(
        events.filter(({ data }) => data.template.name === 'welcome').map(({ data }) => data.template.status),
      ).toEqual(['PAUSED', 'APPROVED']);
      expect(events[0]?.data.template).toEqual(paused);
      expect(events.some(({ data }) => data.template.name === 'brand_new')).toBe(false);
    } finally {
      await recorder.close();
    }
  });
});

interface StatusUpdated {
  readonly id: string;
  readonly organizationId: string;
  readonly data: { readonly template: TemplateView };
}
