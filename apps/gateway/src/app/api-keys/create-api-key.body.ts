import { ArrayMaxSize, ArrayNotEmpty, ArrayUnique, IsIn, IsOptional } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { CodePoints, OneLine } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { scopes, type Scope } from '../../identity/admission.contract.js';

/** The body of `POST /app/api/api-keys`. Source: docs/api-behaviour.md#app-keys, docs/api-behaviour.md#scopes. */
export class CreateApiKeyBody {
  @About('What the key is for; seen in the application alone.')
  @OneLine()
  @CodePoints(1, 100)
  label = '';

  // The rule next to the field is checked first: the size bounds the work of the others.
  @About('All that the key may do; left out or null, everything the plan includes, later versions too.')
  @IsOptional()
  @IsIn(scopes, { each: true })
  @ArrayUnique()
  @ArrayNotEmpty()
  @ArrayMaxSize(scopes.length)
  scopes: readonly Scope[] | null | undefined;
}

/** The body in the description. */
export const createApiKeyBody: BodyDocs = {
  shape: CreateApiKeyBody,
  examples: { till: { label: 'Till in the shop', scopes: ['messages:send', 'contacts:read'] } },
};
