import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Declare } from '../http/route-declaration.js';
import { pathOf } from '../http/route-table.js';
import { loadConsole } from './console-files.js';
import { consoleHeaders, consolePage, newNonce } from './console-page.js';

/** A first segment that no other part of `/app` has: the API below `/app/api` refuses its own unknown paths. */
const PAGE = ':page(^(?!(?:api|assets|openapi\\.json)$).+$)';

/**
 * `/app`: the console. Every path that is no file of it answers the page, whose script shows what the path names.
 * Source: docs/api-behaviour.md#application, ADR 0050.
 */
@Controller('app')
export class ServeConsoleController {
  @Get('assets/:file')
  @Declare({ access: 'public', errors: [serviceErrors.NOT_FOUND] })
  async asset(
    @Param('file') file: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const content = (await loadConsole()).assets.get(`assets/${file}`);
    if (!content) throw new AppError(serviceErrors.NOT_FOUND);
    return content.answer(request, reply);
  }

  @Get()
  @Declare({ access: 'public', errors: [] })
  home(@Res() reply: FastifyReply): Promise<FastifyReply> {
    return page(reply);
  }

  /** `/app/`: Nest takes one slash of an ending away. */
  @Get('//')
  @Declare({ access: 'public', errors: [] })
  redirect(@Res() reply: FastifyReply): void {
    void reply.redirect('/app', 308);
  }

  @Get(PAGE)
  @Declare({ access: 'public', errors: [] })
  async pageOrFile(
    @Param('page') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const content = (await loadConsole()).assets.get(name);
    return content ? content.answer(request, reply) : page(reply);
  }

  /** Further segments, however many; after slashes alone there is none, and the address has one page as without them. */
  @Get(`${PAGE}/*`)
  @Declare({ access: 'public', errors: [] })
  async pageBelow(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    const path = pathOf(raw.url ?? '');
    const bare = path.replace(/\/+$/, '');
    if (bare === path) return page(reply);
    const [, query = ''] = /^[^?#]*(\?[^#]*)/.exec(raw.url ?? '') ?? [];
    return reply.redirect(bare + query, 308);
  }
}

async function page(reply: FastifyReply): Promise<FastifyReply> {
  const { html } = await loadConsole();
  const nonce = newNonce();
  return reply.headers(consoleHeaders(nonce)).send(consolePage(html, nonce));
}
