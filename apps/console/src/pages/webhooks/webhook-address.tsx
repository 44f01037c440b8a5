import type { ReactElement } from 'react';
import { ForeignText, readable } from '../../ui/foreign-text.js';

/** The address of a webhook: of one that is long, which may fill screens, some lines; the whole of it shows on hover. */
export function WebhookAddress({ url, lines }: { readonly url: string; readonly lines: number }): ReactElement {
  return (
    <span title={readable(url)}>
      <ForeignText lineClamp={lines}>{url}</ForeignText>
    </span>
  );
}
