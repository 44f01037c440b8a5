import type { FastifyReply } from 'fastify';
import { jsonOf } from './report-json.policy.js';

/** Answers with a report, however large. @returns the text to send */
export async function answerJson(reply: FastifyReply, report: object): Promise<string> {
  reply.type('application/json; charset=utf-8');
  return jsonOf(report);
}
