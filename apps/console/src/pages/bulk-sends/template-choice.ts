import type { Template } from '../../api/api.generated.js';

/** One of the templates that a field offers. */
export interface TemplateOption {
  readonly value: string;
  readonly label: string;
}

/** How a template is called in a field: names alone are not unique. */
export function labelOf({ name, language }: Pick<Template, 'name' | 'language'>): string {
  return `${name} (${language})`;
}

/** Each template of these lists once, in their order. */
export function optionsOf(...lists: readonly (readonly Template[])[]): TemplateOption[] {
  const labels = new Map(lists.flat().map((template) => [template.id, labelOf(template)]));
  return [...labels].map(([value, label]) => ({ value, label }));
}

/**
 * What the API is to search for after this was typed; undefined where nothing is. The field holds the label of what is chosen, and the
 * API knows names alone: what follows one in a label is left out.
 */
export function searchOf(typed: string, chosen: Template | undefined): string | undefined {
  const [name = ''] = typed.split('(');
  return name.trim() === '' || (chosen && typed === labelOf(chosen)) ? undefined : name.trim();
}

/** What a field says where none of its options fits: before the search has ended, or where it failed, none is known to be missing. */
export function nothingFoundWords({ isSearching, hasFailed }: Record<'isSearching' | 'hasFailed', boolean>): string {
  if (isSearching) return 'Searching…';
  return hasFailed ? 'The templates could not be searched' : 'No approved template fits';
}
