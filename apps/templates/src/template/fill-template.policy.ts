import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';
import type { ParameterFormat, TemplateComponent } from '@switchboard/contracts/templates/http';
import { placesOf, unsendablePartOf, variablesOf, type TemplatePlaces } from './template-places.policy.js';

/** Values of a recipient: in the order of the variables, or by their names. */
export type TemplateValues = readonly string[] | Readonly<Record<string, string>>;

/** What comes of values: what the upstream is given and the body as the recipient reads it, or why they do not fit. */
export type FilledTemplate =
  | { readonly parameters: TemplateParameters; readonly text: string }
  /** The rest of a sentence about the values: `must have 2 values, for 1 and 2`. */
  | { readonly fault: string };

/**
 * A function that fills a template, to be made once for many recipients.
 *
 * Source: docs/api-behaviour.md#bulk-sends-create
 */
export function templateFiller(
  components: readonly TemplateComponent[],
  format: ParameterFormat,
): (values: TemplateValues | null) => FilledTemplate {
  const unsendable = unsendablePartOf(components);
  // No values fit it: a batch of it is refused, and what was accepted before an edit gets no message.
  if (unsendable !== null)
    return () => ({ fault: `cannot fit: the template has ${unsendable}, and so cannot be sent` });
  const places = placesOf(components);
  const names = variablesOf(components, format).map(({ name }) => name);
  return (values) => {
    const given = values ?? [];
    const ordered = format === 'NAMED' ? orderedByName(names, given) : orderedAsGiven(names, given);
    return 'fault' in ordered ? ordered : filled(places, format, ordered.values);
  };
}

type Ordered = { readonly values: readonly string[] } | { readonly fault: string };

function orderedAsGiven(names: readonly string[], given: TemplateValues): Ordered {
  const isList = Array.isArray(given);
  if (!isList && Object.keys(given).length > 0) return { fault: `must be an array: ${expectation(names)}` };
  const values = isList ? (given as readonly string[]) : [];
  return values.length === names.length ? { values } : { fault: `must have ${expectation(names)}` };
}

function orderedByName(names: readonly string[], given: TemplateValues): Ordered {
  if (Array.isArray(given) && given.length > 0) return { fault: `must be an object: ${expectation(names)}` };
  // An empty list has a "length" of its own.
  const byName = Array.isArray(given) ? {} : given;
  const missing = names.find((name) => !Object.hasOwn(byName, name));
  const unknown = Object.keys(byName).find((name) => !names.includes(name));
  if (missing !== undefined) return { fault: `must have ${expectation(names)}; \`${missing}\` is missing` };
  if (unknown !== undefined) return { fault: `must have ${expectation(names)}; \`${unknown}\` is not one of them` };
  return { values: names.map((name) => Reflect.get(byName, name) as string) };
}

function expectation(names: readonly string[]): string {
  if (names.length === 0) return 'no values';
  return `${names.length} ${names.length === 1 ? 'value' : 'values'}, for ${names.join(', ')}`;
}

/** @param values one for each variable, in their order */
function filled(places: TemplatePlaces, format: ParameterFormat, values: readonly string[]): FilledTemplate {
  const rest = values[Symbol.iterator]();
  const next = (): string => rest.next().value ?? '';
  const nameOf = (place: string): string | null => (format === 'NAMED' ? place : null);
  const header = headerParameter(places.header, nameOf, next);
  if (header && header.type !== 'text' && !isHttps(header.link)) {
    return { fault: `must have an https URL for the ${header.type} of the header` };
  }
  const byPlace = new Map(places.body.places.map((place) => [place, next()]));
  const body = [...byPlace].map(([place, text]) => ({ name: nameOf(place), text }));
  const buttons = places.buttons.map(({ index, type }) => ({ index, type, text: next() }));
  const text = places.body.segments.map((part) => (typeof part === 'string' ? part : byPlace.get(part.place))).join('');
  return { parameters: { header, body, buttons }, text };
}

function headerParameter(
  header: TemplatePlaces['header'],
  nameOf: (place: string) => string | null,
  next: () => string,
): TemplateParameters['header'] {
  if (!header) return null;
  if (header.type === 'text') return { type: 'text', name: nameOf(header.place), text: next() };
  return { type: header.type, link: next() };
}

function isHttps(link: string): boolean {
  return /^https:\/\//i.test(link) && URL.canParse(link);
}
