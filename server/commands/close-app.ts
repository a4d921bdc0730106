import type { FastifyInstance } from "fastify";
import { LIMITS } from "../../shared/limits.ts";

/**
 * Answers the requests under way, and ends. A connection that its client keeps for a next one is closed as soon as it has
 * been answered; one that is still not done after the bound is cut off, so that all that comes after has its time, too.
 */
export async function closeApp(app: FastifyInstance, answerMs: number = LIMITS.lastAnswersTimeoutMs): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), LIMITS.closeIdleIntervalMs);
  const late = setTimeout(() => app.server.closeAllConnections(), answerMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
