import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// unit: one process, no sockets but loopback, seconds. scenario: real git, real processes, minutes; one file at a time,
// because it measures waiting and kills.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/scenario/**", "test/fixtures/**"],
          testTimeout: 20_000,
          // Its tests wait for processes and timers more than they compute: vitest's default leaves one core idle.
          maxWorkers: Math.max(2, availableParallelism()),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "scenario",
          include: ["test/scenario/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
