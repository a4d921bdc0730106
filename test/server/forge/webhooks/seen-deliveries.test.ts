import { expect, it } from "vitest";
import { openSeenDeliveries } from "../../../../server/forge/webhooks/seen-deliveries.ts";
import { LIMITS } from "../../../../shared/limits.ts";

it("openSeenDeliveries knows the newest again, as many as the bound says", () => {
  const isFirst = openSeenDeliveries();
  const ids = Array.from({ length: LIMITS.webhookDeliveriesMax }, (_, at) => `github ${at}`);
  expect(ids.every(isFirst)).toBe(true);
  expect(ids.some(isFirst)).toBe(false);
  expect(isFirst("github one more")).toBe(true);
  expect([isFirst("github 1"), isFirst("github 0")]).toEqual([false, true]);
});
