import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { RestorePlus } from '../../http/input/query.decorator.js';
import { IsCuid, MayBeOmitted, WrittenPhone } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/opt-outs`. Source: docs/api-behaviour.md#opt-outs-api. */
export class ListOptOutsQuery extends PageQuery {
  @About('Only opt-outs of this contact.')
  @MayBeOmitted()
  @IsCuid()
  contactId: string | undefined;

  @About('Only opt-outs of the contact with this phone, in any of its written forms.')
  @MayBeOmitted()
  @RestorePlus()
  @WrittenPhone()
  phone: string | undefined;

  @About('Only opt-outs of this channel alone.')
  @MayBeOmitted()
  @IsCuid()
  messagingChannelId: string | undefined;
}
