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

/** The secrets of a webhook do not open: the master key is another, which is a fault of the configuration. */
export class UnreadableSecret extends Error {
  constructor(cause: unknown) {
    super('the secret of the webhook does not open with the master keys of this process', { cause });
    this.name = 'UnreadableSecret';
  }
}

/** The secrets that sign. @throws UnreadableSecret when the master key is another */
export function openSecrets(box: SecretBox, sealed: SealedSecrets): SigningSecrets {
  const { organizationId, webhookId, secretSealed, previousSecretSealed } = sealed;
  const open = (bytes: Buffer, column: SecretColumn): string =>
    box.open(bytes, secretPlace(organizationId, webhookId, column));
  try {
    const current = open(secretSealed, 'secret_sealed');
    const previous = previousSecretSealed && open(previousSecretSealed, 'previous_secret_sealed');
    return { current, previous };
  } catch (error) {
    throw new UnreadableSecret(error);
  }
}
