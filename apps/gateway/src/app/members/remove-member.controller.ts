import { Controller, Delete, HttpCode, Inject, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `DELETE /app/api/members/{id}`. Source: issue 5, members. */
@Controller('app/api/members')
export class RemoveMemberController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.NOT_FOUND, gatewayErrors.CONFLICT],
    input: readId,
    docs: {
      operationId: 'removeMember',
      tag: 'Members',
      summary: 'Remove a member',
      description:
        'Their sessions in the organization end at once; API keys that they made stay. Owners remove everybody, administrators everybody but owners; the last owner stays (409).',
      answers: { 204: { description: 'The person is no member any more.', body: null } },
    },
  })
  async remove(@Req() request: RequestOf<string>): Promise<void> {
    await this.people.members.remove(sessionOf(request), request.edge.input, sourceOf(request));
  }
}
