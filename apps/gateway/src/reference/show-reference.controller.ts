import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Declare } from '../http/route-declaration.js';
import type { StaticContent } from '../http/static-content.js';
import { referenceHeaders, startScript } from './reference-page.js';
import { loadReference } from './reference-script.js';

/** `/docs`: the description to read, and to try out with a key typed in. Source: docs/api-behaviour.md#versioning. */
@Controller('docs')
export class ShowReferenceController {
  @Get()
  @Declare({ access: 'public', errors: [] })
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return answer((await loadReference()).page, request, reply);
  }

  /** `/docs/`: Nest takes one slash of an ending away. */
  @Get('//')
  @Declare({ access: 'public', errors: [] })
  redirect(@Res() reply: FastifyReply): void {
    void reply.headers(referenceHeaders).redirect('/docs', 308);
  }

  @Get('reference.js')
  @Declare({ access: 'public', errors: [] })
  async script(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return answer((await loadReference()).script, request, reply);
  }

  @Get('start.js')
  @Declare({ access: 'public', errors: [] })
  start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return answer(startScript, request, reply);
  }
}

function answer(content: StaticContent, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return content.answer(request, reply.headers(referenceHeaders));
}
