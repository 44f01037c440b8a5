import type { ParameterFormat, TemplateComponent, TemplateVariable } from '@switchboard/contracts/templates/http';

/** A part of a text: as it is, or the place of a variable. */
export type Segment = string | { readonly place: string };

/** Where a template takes values, in the order in which they are given: header, body, buttons. */
export interface TemplatePlaces {
  readonly header:
    { readonly type: 'text'; readonly place: string } | { readonly type: 'image' | 'video' | 'document' } | null;
  /** The text of the body, and each of its places once, as counted or as first named. */
  readonly body: { readonly segments: readonly Segment[]; readonly places: readonly string[] };
  /** Buttons that take a value; `index` counts from 0 among all of them. */
  readonly buttons: readonly PlaceOfButton[];
}

/** A button that takes a value: the end of its address, or the code that it copies. */
interface PlaceOfButton {
  readonly index: number;
  readonly type: 'url' | 'copy_code';
}

/** The provider wants products or an order of them. */
const UNSENDABLE_BUTTONS: ReadonlySet<string> = new Set(['MPM', 'SPM', 'ORDER_DETAILS']);
const PLACE = /\{\{\s*(\w+)\s*\}\}/g;
const MEDIA: ReadonlyMap<unknown, 'image' | 'video' | 'document'> = new Map([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);

/** Reads the places of a template from its components, in the provider's form; what is unknown takes no value. */
export function placesOf(components: readonly TemplateComponent[]): TemplatePlaces {
  const of = (type: string): TemplateComponent | undefined =>
    components.find((component) => String(component['type']).toUpperCase() === type);
  const segments = segmentsOf(textOf(of('BODY'), 'text'));
  return {
    header: headerOf(of('HEADER')),
    body: { segments, places: placesIn(segments) },
    buttons: buttonsOf(of('BUTTONS')),
  };
}

/**
 * The part that keeps a template from being sent: the provider wants more of it with each message than values that are
 * texts, and refuses a message without. Null: none does.
 */
export function unsendablePartOf(components: readonly TemplateComponent[]): string | null {
  for (const component of components) {
    const type = String(component['type']).toUpperCase();
    const format = String(component['format']).toUpperCase();
    const offer: unknown = component['limited_time_offer'];
    if (type === 'CAROUSEL') return 'a carousel';
    if (type === 'LIMITED_TIME_OFFER' && isObject(offer) && offer['has_expiration'] === true)
      return 'an offer that expires';
    if (type === 'HEADER' && (format === 'LOCATION' || format === 'PRODUCT'))
      return `a ${format.toLowerCase()} as its header`;
    const button = type === 'BUTTONS' && buttonsIn(component).find((one) => UNSENDABLE_BUTTONS.has(one.type));
    if (button) return `a button of type ${button.type}`;
  }
  return null;
}

/**
 * What a send must give values for, in their order. Positional ones are called by their number in the whole of them, from
 * 1; of named ones, those without a name are `header` and `button_<index>`, and one `_` longer than a
 * place that is called so.
 *
 * Source: docs/api-behaviour.md#templates-fields
 */
export function variablesOf(components: readonly TemplateComponent[], format: ParameterFormat): TemplateVariable[] {
  const { header, body, buttons } = placesOf(components);
  const places = [...body.places, ...(header?.type === 'text' ? [header.place] : [])];
  const free = (name: string): string => {
    const alike = places.filter((place) => place.replace(/_*$/, '') === name);
    return name.padEnd(Math.max(name.length - 1, ...alike.map(({ length }) => length)) + 1, '_');
  };
  const named: TemplateVariable[] = [
    ...(header ? [{ name: header.type === 'text' ? header.place : free('header'), in: 'HEADER' } as const] : []),
    ...body.places.map((name) => ({ name, in: 'BODY' }) as const),
    ...buttons.map(({ index }) => ({ name: free(`button_${index}`), in: 'BUTTON' }) as const),
  ];
  return format === 'NAMED' ? named : named.map((variable, at) => ({ ...variable, name: String(at + 1) }));
}

function headerOf(header: TemplateComponent | undefined): TemplatePlaces['header'] {
  if (!header) return null;
  const format = String(header['format'] ?? 'TEXT').toUpperCase();
  const media = MEDIA.get(format);
  if (media) return { type: media };
  const [place] = format === 'TEXT' ? placesIn(segmentsOf(textOf(header, 'text'))) : [];
  return place === undefined ? null : { type: 'text', place };
}

function buttonsOf(component: TemplateComponent | undefined): PlaceOfButton[] {
  return buttonsIn(component).flatMap(({ type, url }, index): PlaceOfButton[] => {
    if (type === 'URL' && typeof url === 'string' && url.search(PLACE) !== -1) return [{ index, type: 'url' }];
    return type === 'COPY_CODE' ? [{ index, type: 'copy_code' }] : [];
  });
}

/** In their order, their types in capitals; what is no button has none. */
function buttonsIn(component: TemplateComponent | undefined): { readonly type: string; readonly url: unknown }[] {
  const buttons: unknown = component?.['buttons'];
  if (!Array.isArray(buttons)) return [];
  return buttons.map((button: unknown) =>
    isObject(button) ? { type: String(button['type']).toUpperCase(), url: button['url'] } : { type: '', url: null },
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Texts at even positions, places at odd ones: that is how `split` treats the group. Empty texts are left out. */
function segmentsOf(text: string): Segment[] {
  return text
    .split(PLACE)
    .map((part, at): Segment => (at % 2 === 0 ? part : { place: part }))
    .filter((segment) => segment !== '');
}

/** Each once: counted ones by their number, others as they come. */
function placesIn(segments: readonly Segment[]): string[] {
  const places = [...new Set(segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment.place])))];
  return places.every((place) => /^\d+$/.test(place)) ? places.sort((a, b) => Number(a) - Number(b)) : places;
}

function textOf(component: TemplateComponent | undefined, field: string): string {
  const text = component?.[field];
  return typeof text === 'string' ? text : '';
}
