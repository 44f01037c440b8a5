import { IsBoolean, IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { AccessToken, Keywords, Region, UpstreamId } from './channel.decorator.js';

/** The body of `POST /app/api/channels`. Source: docs/api-behaviour.md#app-channels. */
export class ConnectChannelBody {
  @About("The upstream provider's id of the phone number.")
  @UpstreamId()
  phoneNumberId = '';

  @About("The upstream provider's id of the business account that the number belongs to.")
  @UpstreamId()
  businessAccountId = '';

  @About('An access token for both. It is stored encrypted, and never shown.')
  @AccessToken()
  accessToken = '';

  @About("How numbers in national form are read; left out, the region of the channel's own number.")
  @IsOptional()
  @Region()
  defaultRegion: string | null | undefined;

  @About('Whether it becomes the default channel in place of the present one. The first channel always is.')
  @IsOptional()
  @IsBoolean()
  isDefault: boolean | null | undefined;
}

/** The body in the description. */
export const connectChannelBody: BodyDocs = {
  shape: ConnectChannelBody,
  examples: {
    first: { phoneNumberId: '106540352242922', businessAccountId: '102290129340398', accessToken: 'EAAJB' },
    second: {
      phoneNumberId: '106540352242923',
      businessAccountId: '102290129340398',
      accessToken: 'EAAJB',
      defaultRegion: 'MX',
      isDefault: true,
    },
  },
};

/** The body of `PATCH /app/api/channels/{id}`; what is left out stays. Source: docs/api-behaviour.md#app-channels. */
export class ChangeChannelBody {
  @About('A new access token, which connects the channel again.')
  @IsOptional()
  @AccessToken()
  accessToken: string | null | undefined;

  @About(
    'True makes it the default channel. False is refused for the default one: make another one the default instead.',
  )
  @IsOptional()
  @IsBoolean()
  isDefault: boolean | null | undefined;

  @About('How numbers in national form are read.')
  @IsOptional()
  @Region()
  defaultRegion: string | null | undefined;

  @About('Words that opt out on this channel in addition to the common ones; they replace the former list.')
  @IsOptional()
  @Keywords()
  optOutKeywords: readonly string[] | null | undefined;
}

/** The body in the description. */
export const changeChannelBody: BodyDocs = {
  shape: ChangeChannelBody,
  examples: {
    token: { accessToken: 'EAAJB' },
    settings: { isDefault: true, defaultRegion: 'MX', optOutKeywords: ['BAJA', 'ALTO'] },
  },
};
