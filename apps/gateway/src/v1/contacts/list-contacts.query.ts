import { IsBoolean } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { BooleanText, RestorePlus } from '../../http/input/query.decorator.js';
import { CodePoints, MayBeOmitted, WrittenPhone } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/contacts`. Source: docs/api-behaviour.md#contacts-list. */
export class ListContactsQuery extends PageQuery {
  @About('A part of the name, phone or email, in any case; taken literally.')
  @MayBeOmitted()
  @CodePoints(1, 200)
  search: string | undefined;

  @About('The phone, in any of its written forms.')
  @MayBeOmitted()
  @RestorePlus()
  @WrittenPhone()
  phone: string | undefined;

  @About('Only contacts that are opted out on every channel, or only those that are not.')
  @MayBeOmitted()
  @BooleanText()
  @IsBoolean({ message: '$property must be one of true, false' })
  isOptedOut: boolean | undefined;
}
