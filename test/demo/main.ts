/** The whole story in throwaway homes, with real clones and real processes: `npm run demo`. */
import { withTeardown } from "../support/teardown.ts";
import { playStory } from "./story.ts";
import { openTranscript } from "./transcript.ts";

const transcript = openTranscript(console.log);
try {
  await withTeardown((onEnd) => playStory(transcript, onEnd));
  console.log(`\nEvery step was checked: ${transcript.checked} facts hold.`);
} catch (error) {
  console.log(`\nThe story broke off after ${transcript.checked} checked facts: ${(error as Error).message}`);
  process.exitCode = 1;
}
