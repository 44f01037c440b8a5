import { Controller, Delete, HttpCode, Inject, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `DELETE /app/api/invites/{id}`. Source: issue 5, members. */
@Controller('app/api/invites')
export class RevokeInviteController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.NOT_FOUND],
    input: readId,
    docs: {
      operationId: 'revokeInvite',
      tag: 'Members',
      summary: 'Take an invitation back',
      description:
        'Its link is worth nothing from then on. Administrators cannot take back the invitation of an owner.',
      answers: { 204: { description: 'The invitation is gone.', body: null } },
    },
  })
  async revoke(@Req() request: RequestOf<string>): Promise<void> {
    await this.people.invites.revoke(sessionOf(request), request.edge.input, sourceOf(request));
  }
}
