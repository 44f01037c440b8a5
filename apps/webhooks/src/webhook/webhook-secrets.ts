import type { SecretBox, SecretPlace } from '@switchboard/secrets';
import type { SigningSecrets } from '@switchboard/webhook-signature';

/** The secrets of a webhook as they are stored. */
export interface SealedSecrets {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly secretSealed: Buffer;
  /** As long as it signs too. */
  readonly previousSecretSealed: Buffer | null;
}

/** The columns that hold secrets: what is sealed for one does not open in the other. */
export type SecretColumn = 'secret_sealed' | 'previous_secret_sealed';

/** Where a secret of a webhook is stored. */
export function secretPlace(organizationId: string, webhookId: string, column: SecretColumn): SecretPlace {
  return { organizationId, table: 'webhook', row: webhookId, column };
}

/** A secret of a webhook does not open: the master key is another, or the value, as after a restore of a part. */
export class UnreadableSecret extends Error {
  constructor(which: 'secret' | 'former secret', webhookId: string, cause: unknown) {
    super(`the ${which} of webhook ${webhookId} does not open with the master keys of this process`, { cause });
    this.name = 'UnreadableSecret';
  }
}

/** The secrets that sign, and why the former one does not where it is kept and does not open. */
export interface OpenedSecrets extends SigningSecrets {
  readonly unreadable: UnreadableSecret | null;
}

/** Opens the two apart: a webhook whose former secret does not open has none. @throws UnreadableSecret when the current one does not */
export function openSecrets(box: SecretBox, sealed: SealedSecrets): OpenedSecrets {
  const current = openCurrent(box, sealed);
  const { organizationId, webhookId, previousSecretSealed } = sealed;
  if (previousSecretSealed === null) return { current, previous: null, unreadable: null };
  try {
    const previous = box.open(previousSecretSealed, secretPlace(organizationId, webhookId, 'previous_secret_sealed'));
    return { current, previous, unreadable: null };
  } catch (error) {
    return { current, previous: null, unreadable: new UnreadableSecret('former secret', webhookId, error) };
  }
}

/** The secret that signs, whatever the former one is. @throws UnreadableSecret */
export function openCurrent(box: SecretBox, { organizationId, webhookId, secretSealed }: SealedSecrets): string {
  try {
    return box.open(secretSealed, secretPlace(organizationId, webhookId, 'secret_sealed'));
  } catch (error) {
    throw new UnreadableSecret('secret', webhookId, error);
  }
}
