import { IsBoolean } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `PATCH /app/api/organization`. */
export class ChangeOrganizationBody {
  @About('Whether every member must have a second factor, from their next request on.')
  @IsBoolean()
  isSecondFactorRequired = false;
}

/** The body in the description. */
export const changeOrganizationBody: BodyDocs = {
  shape: ChangeOrganizationBody,
  examples: { require: { isSecondFactorRequired: true } },
};
