import type { Template } from '../../api/api.generated.js';

/** One of the templates that a field offers. */
export interface TemplateOption {
  readonly value: string;
  readonly label: string;
}

/** Each template of these lists once, in their order. Where two accounts have the same one, the account is said. */
export function optionsOf(...lists: readonly (readonly Template[])[]): TemplateOption[] {
  const templates = [...new Map(lists.flat().map((template) => [template.id, template])).values()];
  const known = new Set<string>();
  const twins = new Set<string>();
  for (const label of templates.map(labelOf)) (known.has(label) ? twins : known).add(label);
  return templates.map((template) => {
    const label = labelOf(template);
    return { value: template.id, label: twins.has(label) ? labelWithAccount(template) : label };
  });
}

/** Names alone are not unique. */
function labelOf({ name, language }: Template): string {
  return `${name} (${language})`;
}

function labelWithAccount({ name, language, businessAccountId }: Template): string {
  return `${name} (${language}, account ${businessAccountId})`;
}

/**
 * What the API is to search for after this was typed; undefined where nothing is. The field holds the label of what is chosen, and the
 * API knows names alone: what follows one in a label is left out.
 */
export function searchOf(typed: string, chosen: Template | undefined): string | undefined {
  const [name = ''] = typed.split('(');
  const isLabel = chosen !== undefined && [labelOf(chosen), labelWithAccount(chosen)].includes(typed);
  return name.trim() === '' || isLabel ? undefined : name.trim();
}

/** What a field says where none of its options fits: before the search has ended, or where it failed, none is known to be missing. */
export function nothingFoundWords({ isSearching, hasFailed }: Record<'isSearching' | 'hasFailed', boolean>): string {
  if (isSearching) return 'Searching…';
  return hasFailed ? 'The templates could not be searched' : 'No approved template fits';
}
