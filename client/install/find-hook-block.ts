import type { ClientEnvironment } from "../config.ts";
import { readMachineSettings } from "../memory/claude-settings.ts";

/** The setting by which the host runs no hooks of the user's, for a person to know; null: none is seen. */
export function findHookBlock(env: ClientEnvironment): string | null {
  const { managed, user } = readMachineSettings(env);
  const off = [...managed, ...(user === null ? [] : [user])].find(({ values }) => values["disableAllHooks"] === true);
  if (off !== undefined) return `disableAllHooks in ${off.path}`;
  const only = managed.find(({ values }) => values["allowManagedHooksOnly"] === true);
  return only === undefined ? null : `allowManagedHooksOnly in ${only.path}`;
}
