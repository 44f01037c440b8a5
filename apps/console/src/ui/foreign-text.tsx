import { Text, type TextProps } from '@mantine/core';
import type { ReactElement } from 'react';

/**
 * Bidirectional controls and other characters that are not seen but change what is; line breaks and tabs stay, and so do what emoji
 * (joiners, selectors, tags) and hyphenation are made of.
 */
const hidden = /[\p{Cc}\p{Bidi_Control}\u115F\u1160\u180E\u200B\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0]/gu;

/** What can be read of a text: characters that would hide or turn what is around them become their code. */
export function readable(text: string): string {
  return text.replaceAll(hidden, (one) =>
    /[\n\t]/.test(one) ? one : `[U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** A name or text that somebody else wrote, as it is: markup stays text, and its direction ends with it. */
export function ForeignText({ children, ...props }: TextProps & { readonly children: string }): ReactElement {
  return (
    <Text component="bdi" inherit className="foreign-text" {...props}>
      {readable(children)}
    </Text>
  );
}
