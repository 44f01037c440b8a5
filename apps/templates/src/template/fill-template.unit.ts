import { describe, expect, it } from '@jest/globals';
import type { TemplateComponent } from '@switchboard/contracts/templates/http';
import { templateFiller, type TemplateValues } from './fill-template.policy.js';
import { variablesOf } from './template-places.policy.js';

const promotion: readonly TemplateComponent[] = [
  { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/a.png'] } },
  { type: 'BODY', text: 'Our {{2}} for {{1}}: {{2}}!' },
  { type: 'FOOTER', text: 'Reply STOP {{1}}' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Stop' },
      { type: 'URL', text: 'See', url: 'https://example.com/{{1}}' },
      { type: 'URL', text: 'Home', url: 'https://example.com' },
      { type: 'COPY_CODE', example: 'SUN25' },
    ],
  },
];
const reminder: readonly TemplateComponent[] = [
  { type: 'HEADER', format: 'TEXT', text: 'From {{shop}}' },
  { type: 'BODY', text: 'Hello {{first_name}}, see you on {{ date }}, {{first_name}}.' },
  { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://example.com/{{1}}' }] },
];
const plain: readonly TemplateComponent[] = [{ type: 'BODY', text: 'Welcome {aboard}.' }];

describe('the variables of a template', () => {
  it('are counted over header, body and buttons where they have no names', () => {
    expect(variablesOf(promotion, 'POSITIONAL')).toEqual([
      { name: '1', in: 'HEADER' },
      { name: '2', in: 'BODY' },
      { name: '3', in: 'BODY' },
      { name: '4', in: 'BUTTON' },
      { name: '5', in: 'BUTTON' },
    ]);
  });

  it('are called as they are in the template, each once in the order of its first mention', () => {
    expect(variablesOf(reminder, 'NAMED')).toEqual([
      { name: 'shop', in: 'HEADER' },
      { name: 'first_name', in: 'BODY' },
      { name: 'date', in: 'BODY' },
      { name: 'button_0', in: 'BUTTON' },
    ]);
    expect(variablesOf(promotion, 'NAMED')[0]).toEqual({ name: 'header', in: 'HEADER' });
    expect(variablesOf(plain, 'POSITIONAL')).toEqual([]);
  });

  it('without a name get one that no other has', () => {
    const image = { type: 'HEADER', format: 'IMAGE' };
    const url = { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://example.com/{{1}}' }] };
    const body = { type: 'BODY', text: 'The {{header}} of {{header_}}, {{button_0}}' };
    expect(variablesOf([image, body, url], 'NAMED')).toEqual([
      { name: 'header__', in: 'HEADER' },
      { name: 'header', in: 'BODY' },
      { name: 'header_', in: 'BODY' },
      { name: 'button_0', in: 'BODY' },
      { name: 'button_0_', in: 'BUTTON' },
    ]);
    const shown = { type: 'HEADER', format: 'TEXT', text: 'To {{button_0}}' };
    expect(variablesOf([shown, url], 'NAMED').map(({ name }) => name)).toEqual(['button_0', 'button_0_']);
  });

  it('are none in components of no known form', () => {
    for (const component of [
      {},
      { type: 'BODY' },
      { type: 'BUTTONS', buttons: 'x' },
      { type: 'HEADER', format: 'LOCATION' },
    ]) {
      expect(variablesOf([component], 'POSITIONAL')).toEqual([]);
    }
    expect(variablesOf([{ type: 'BUTTONS', buttons: [null, { type: 'URL' }] }], 'NAMED')).toEqual([]);
  });
});

describe('a filled template', () => {
  const fill = (
    components: readonly TemplateComponent[],
    format: 'POSITIONAL' | 'NAMED',
    values: TemplateValues | null,
  ) => templateFiller(components, format)(values);

  it('has the values in their order, and its body as the recipient reads it', () => {
    const values = ['https://example.com/b.png', 'Ada', 'sale {{1}} $&', 'x?y=1', 'SUN25'];
    expect(fill(promotion, 'POSITIONAL', values)).toEqual({
      parameters: {
        header: { type: 'image', link: 'https://example.com/b.png' },
        body: [
          { name: null, text: 'Ada' },
          { name: null, text: 'sale {{1}} $&' },
        ],
        buttons: [
          { index: 1, type: 'url', text: 'x?y=1' },
          { index: 3, type: 'copy_code', text: 'SUN25' },
        ],
      },
      text: 'Our sale {{1}} $& for Ada: sale {{1}} $&!',
    });
  });

  it('has the values by name, whatever their order', () => {
    const values = { button_0: 'b', date: 'Friday', shop: 'Corner', first_name: 'Ada' };
    expect(fill(reminder, 'NAMED', values)).toEqual({
      parameters: {
        header: { type: 'text', name: 'shop', text: 'Corner' },
        body: [
          { name: 'first_name', text: 'Ada' },
          { name: 'date', text: 'Friday' },
        ],
        buttons: [{ index: 0, type: 'url', text: 'b' }],
      },
      text: 'Hello Ada, see you on Friday, Ada.',
    });
  });

  it.each<[string, TemplateComponent]>([
    ['a location as its header', { type: 'HEADER', format: 'LOCATION' }],
    ['a product as its header', { type: 'header', format: 'product' }],
    ['a carousel', { type: 'CAROUSEL', cards: [] }],
    ['an offer that expires', { type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: true } }],
    ['a button of type MPM', { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'mpm' }] }],
    ['a button of type ORDER_DETAILS', { type: 'BUTTONS', buttons: [{ type: 'ORDER_DETAILS' }] }],
  ])('is none of one with %s, which the provider wants values for that no text is', (part, component) => {
    const components = [component, { type: 'BODY', text: 'Hello {{1}}' }];
    const fault = `cannot fit: the template has ${part}, and so cannot be sent`;
    expect(fill(components, 'POSITIONAL', ['Ada'])).toEqual({ fault });
    expect(fill(components, 'NAMED', null)).toEqual({ fault });
    expect(fill([{ type: 'LIMITED_TIME_OFFER', limited_time_offer: {} }], 'NAMED', null)).not.toHaveProperty('fault');
  });

  it.each([[null], [[]], [{}]])('without variables takes %j', (values) => {
    const expected = { parameters: { header: null, body: [], buttons: [] }, text: 'Welcome {aboard}.' };
    expect(fill(plain, 'POSITIONAL', values)).toEqual(expected);
    expect(fill(plain, 'NAMED', values)).toEqual(expected);
  });

  it.each<[string, readonly TemplateComponent[], 'POSITIONAL' | 'NAMED', TemplateValues | null, string]>([
    ['too few', promotion, 'POSITIONAL', ['a'], 'must have 5 values, for 1, 2, 3, 4, 5'],
    ['none', promotion, 'POSITIONAL', null, 'must have 5 values, for 1, 2, 3, 4, 5'],
    ['too many', plain, 'POSITIONAL', ['a'], 'must have no values'],
    ...[null, [], {}].map((none): [string, readonly TemplateComponent[], 'NAMED', TemplateValues | null, string] => [
      `no value of the name \`length\` in ${JSON.stringify(none)}`,
      [{ type: 'BODY', text: 'A rope of {{length}} m' }],
      'NAMED',
      none,
      'must have 1 value, for length; `length` is missing',
    ]),
    [
      'names where they are counted',
      promotion,
      'POSITIONAL',
      { a: 'b' },
      'must be an array: 5 values, for 1, 2, 3, 4, 5',
    ],
    [
      'a list where they are named',
      reminder,
      'NAMED',
      ['a'],
      'must be an object: 4 values, for shop, first_name, date, button_0',
    ],
    [
      'a missing name',
      reminder,
      'NAMED',
      { shop: 'a', first_name: 'b', button_0: 'c' },
      'must have 4 values, for shop, first_name, date, button_0; `date` is missing',
    ],
    ['an unknown name', plain, 'NAMED', { toString: 'x' }, 'must have no values; `toString` is not one of them'],
    [
      'a name of a prototype',
      [{ type: 'BODY', text: '{{constructor}}' }],
      'NAMED',
      {},
      'must have 1 value, for constructor; `constructor` is missing',
    ],
    [
      'media over plain http',
      promotion,
      'POSITIONAL',
      ['http://example.com/a.png', 'a', 'b', 'c', 'd'],
      'must have an https URL for the image of the header',
    ],
    [
      'media that are no URL',
      promotion,
      'POSITIONAL',
      ['https://', 'a', 'b', 'c', 'd'],
      'must have an https URL for the image of the header',
    ],
  ])('is refused %s', (_name, components, format, values, fault) => {
    expect(fill(components, format, values)).toEqual({ fault });
  });
});
