import type { Template } from '../../api/api.generated.js';

/** A part of a template as it is shown. */
export interface RenderedPart {
  readonly kind: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTON';
  readonly text: string;
  /** Of a header that is no text: IMAGE, VIDEO, DOCUMENT. */
  readonly media?: string;
}

interface Component {
  readonly type?: string;
  readonly format?: string;
  readonly text?: string;
  readonly buttons?: readonly { readonly text?: string }[];
}

/**
 * A template with values in place of its variables, as a phone would show it.
 *
 * @param values in the order of `template.variables`; a missing one stays `{{name}}`
 */
export function renderTemplate(
  template: Pick<Template, 'components' | 'variables'>,
  values: readonly string[],
): readonly RenderedPart[] {
  return (template.components as readonly Component[]).flatMap((component): readonly RenderedPart[] => {
    const type = component.type?.toUpperCase();
    if (type === 'BUTTONS') return (component.buttons ?? []).map(({ text = '' }) => ({ kind: 'BUTTON', text }));
    if (type !== 'HEADER' && type !== 'BODY' && type !== 'FOOTER') return [];
    const format = component.format?.toUpperCase();
    if (type === 'HEADER' && format !== undefined && format !== 'TEXT') {
      return [{ kind: type, text: valueOf(template, 'HEADER', undefined, values) ?? '', media: format }];
    }
    return [{ kind: type, text: filled(template, type, component.text ?? '', values) }];
  });
}

function filled(
  template: Pick<Template, 'variables'>,
  place: 'HEADER' | 'BODY' | 'FOOTER',
  text: string,
  values: readonly string[],
): string {
  return text.replaceAll(
    /\{\{\s*([\w-]+)\s*\}\}/g,
    (whole, name: string) => valueOf(template, place, name, values) ?? whole,
  );
}

function valueOf(
  { variables }: Pick<Template, 'variables'>,
  place: string,
  name: string | undefined,
  values: readonly string[],
): string | undefined {
  const index = variables.findIndex((one) => one.in === place && (name === undefined || one.name === name));
  const value = index === -1 ? undefined : values[index];
  return value === '' ? undefined : value;
}
