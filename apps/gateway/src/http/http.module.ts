import { Module, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { IdentityModule } from '../identity/identity.module.js';
import { AdmitRequest } from './admit-request.js';
import { FailedAttempts } from './authentication/failed-attempts.js';
import { BodyBudget } from './body-budget.js';
import { EnvelopeFilter } from './envelope.filter.js';
import { HealthController } from './health/health.controller.js';
import { HttpListener } from './http-listener.js';
import { HungRequests } from './hung-requests.js';
import { OpenRequests } from './open-requests.js';
import { MalformedRequestLimit } from './malformed-request-limit.js';
import { RequestCounts } from './request-counts.js';
import { RequestLifecycle } from './request-lifecycle.js';
import { RequestMetrics } from './request-metrics.js';
import { RouteTable } from './route-table.js';
import { AdmitSession } from './session/admit-session.js';
import { SessionAnswer } from './session/session-answer.js';
import { SessionCookie } from './session/session-cookie.js';
import { SessionRate } from './session/session-rate.js';
import { UnparsedRequests } from './unparsed-requests.js';
import { UnreadAnswers } from './unread-answers.js';

/** Exported for tests, which put stand-ins in the place of identity and of the counts of requests. */
export const httpProviders: Provider[] = [
  AdmitRequest,
  AdmitSession,
  BodyBudget,
  FailedAttempts,
  HttpListener,
  HungRequests,
  OpenRequests,
  MalformedRequestLimit,
  RequestLifecycle,
  RequestMetrics,
  RouteTable,
  SessionAnswer,
  SessionCookie,
  SessionRate,
  UnparsedRequests,
  UnreadAnswers,
  { provide: APP_FILTER, useClass: EnvelopeFilter },
];

/** What every request goes through, whatever its route: admission, limits, envelope, log; and the listener. */
@Module({
  imports: [IdentityModule],
  controllers: [HealthController],
  providers: [...httpProviders, RequestCounts],
  exports: [AdmitRequest, FailedAttempts, RouteTable, SessionAnswer, SessionCookie, SessionRate],
})
export class HttpModule {}
