import { LIMITS } from "../../../shared/limits.ts";

/** Whether this id comes for the first time. Of more than are remembered the oldest are forgotten. */
export type IsFirst = (id: string) => boolean;

export function openSeenDeliveries(): IsFirst {
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > LIMITS.webhookDeliveriesMax && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
