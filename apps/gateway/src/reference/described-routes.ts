import type { ApiRoute, DescribedBody, DescribedShape, JsonObject } from '@switchboard/openapi';
import type { AnswerHeader } from '../description/headers.js';
import { describedFields, type Shape } from '../http/input/field-description.js';
import type { AnswerDocs, BodyDocs } from '../http/route-docs.js';
import type { RouteDeclaration } from '../http/route-declaration.js';
import type { MountedRoute } from '../http/route-table.js';
import { answerHeaders, refusalHeaders } from './answer-headers.policy.js';
import { generalErrors } from './general-errors.policy.js';
import { sentencesOf } from './refusal-sentences.js';

/** A mounted route as its OpenAPI document describes it. @throws Error for one without docs: a bug */
export function describedRoute(route: MountedRoute): ApiRoute {
  const { method, path, declaration } = route;
  const { docs, access } = declaration;
  if (!docs) throw new Error(`${method} ${path} has no docs`);
  const { operationId, tag, summary, description, body, query, requestHeaders = [], answers } = docs;
  const acts = access === 'session' && method !== 'GET';
  const refused: readonly AnswerHeader[] = docs.refusalHeaders ?? [];
  return {
    method,
    path,
    operationId,
    tag,
    summary,
    description: [description, ...needsOf(declaration)].join('\n\n'),
    security: securityOf(declaration),
    requestHeaders: [...(acts ? ['X-CSRF-Token'] : []), ...requestHeaders],
    ...(query && { query: describedShape(query) }),
    ...(body && { body: describedBody(body) }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => describedAnswer(status, answer, access)),
    ),
    refusals: {
      errors: [...generalErrors(method, declaration), ...declaration.errors],
      sentences: sentencesOf(route),
      headersOf: (status) => refusalHeaders(status, access, refused),
    },
    // A public route has other headers than the rest of its API.
    sharesRefusals: access !== 'public' && refused.length === 0,
  };
}

function describedAnswer(
  status: string,
  { headers = [], ...answer }: AnswerDocs,
  access: RouteDeclaration['access'],
): [string, ApiRoute['answers'][number]] {
  return [status, { ...answer, headers: answerHeaders(Number(status), access, headers) }];
}

function describedShape(shape: Shape): DescribedShape {
  const fields = describedFields(shape).map(({ isInherited, ...field }) => ({ ...field, isShared: isInherited }));
  return { name: shape.name, fields };
}

function describedBody({ shape, examples, rule }: BodyDocs): DescribedBody {
  return { ...describedShape(shape), examples, ...(rule && { rule: rule.words }) };
}

/** What a caller must have, as sentences. */
function needsOf(declaration: RouteDeclaration): readonly string[] {
  if (declaration.access === 'key' && declaration.scope !== null) return [`Needs the scope \`${declaration.scope}\`.`];
  if (declaration.access === 'session' && declaration.roles !== null) {
    return [`Needs the role ${declaration.roles.join(' or ')}.`];
  }
  return [];
}

/** Alternatives. OpenAPI 3.1 lets a scheme that is not OAuth name what else is needed: the scope. */
function securityOf(declaration: RouteDeclaration): readonly JsonObject[] {
  if (declaration.access === 'key') return [{ apiKey: declaration.scope === null ? [] : [declaration.scope] }];
  if (declaration.access === 'session') return [{ sessionCookie: [] }, { plainSessionCookie: [] }];
  return [];
}
