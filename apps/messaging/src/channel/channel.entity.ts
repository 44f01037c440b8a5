import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sending line of an organization. */
@Entity({ name: 'channel' })
export class Channel {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  readonly organizationId!: string;

  @PrimaryColumn({ type: 'text' })
  readonly id!: string;

  @Column({ type: 'text' })
  readonly name!: string;

  /** E.164. */
  @Column({ type: 'text' })
  readonly phone!: string;

  /** The provider. */
  @Column({ type: 'text' })
  readonly provider!: string;

  @Column({ name: 'business_account_id', type: 'text' })
  readonly businessAccountId!: string;

  /** ISO 3166-1 alpha-2: how numbers in national form are read. */
  @Column({ name: 'default_region', type: 'text' })
  readonly defaultRegion!: string;

  /** The upstream's id of the line; callbacks name it. */
  @Column({ name: 'phone_number_id', type: 'text' })
  readonly phoneNumberId!: string;

  @Column({ name: 'is_default', type: 'boolean' })
  readonly isDefault!: boolean;

  @Column({ type: 'text' })
  readonly status!: 'CONNECTED' | 'DISCONNECTED';

  /** Words that opt out on this channel in addition to the common ones; see `spokenPreference`. */
  @Column({ name: 'opt_out_keywords', type: 'text', array: true })
  readonly optOutKeywords!: readonly string[];
}
