import { About } from '../../http/input/field-description.js';
import { IsCuid } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /app/api/switch-organization`. */
export class SwitchOrganizationBody {
  @About('One of the `organizations` of the session.')
  @IsCuid()
  organizationId = '';
}

/** The body in the description. */
export const switchOrganizationBody: BodyDocs = {
  shape: SwitchOrganizationBody,
  examples: { other: { organizationId: 'cmiadkq0v5x8h2r7t1n4w9bze' } },
};
