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

/** The secrets that sign. @throws Error when the master key is another, which is a fault of the configuration */
export function openSecrets(box: SecretBox, sealed: SealedSecrets): SigningSecrets {
  const { organizationId, webhookId, secretSealed, previousSecretSealed } = sealed;
  const current = box.open(secretSealed, secretPlace(organizationId, webhookId, 'secret_sealed'));
  if (previousSecretSealed === null) return { current, previous: null };
  const place = secretPlace(organizationId, webhookId, 'previous_secret_sealed');
  return { current, previous: box.open(previousSecretSealed, place) };
}
