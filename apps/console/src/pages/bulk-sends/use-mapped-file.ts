import { useMemo } from 'react';
import type { Template } from '../../api/api.generated.js';
import type { BulkSendDraftState } from './bulk-send-draft.js';
import { mapRecipients, suggestMapping, type Mapping } from './recipients.js';

/** The columns of a draft's file for a template, as they were chosen or are suggested, and its recipients; null until both are there. */
export function useMappedFile(
  template: Template | undefined,
  { file, mapping: chosen }: Pick<BulkSendDraftState, 'file' | 'mapping'>,
): { readonly mapping: Mapping | null; readonly mapped: ReturnType<typeof mapRecipients> | null } {
  const mapping = useMemo(
    () => (template && file ? (chosen ?? suggestMapping(file.table, template)) : null),
    [template, file, chosen],
  );
  const mapped = useMemo(
    () => (template && file && mapping && mapping.to !== null ? mapRecipients(file.table, mapping, template) : null),
    [template, file, mapping],
  );
  return { mapping, mapped };
}
