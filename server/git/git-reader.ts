/**
 * Packed objects, one after the other, from one git child that stays: it finds them in microseconds, keeps the packs out of
 * our memory and tells a size before it sends a content. The child goes when nobody has asked for a while, and by itself
 * when this process does.
 */
import type { GitBinary } from "./git-binary.ts";
import { type Answer, type Conversation, startConversation } from "./git-conversation.ts";
import { objectIdOf } from "./loose-object.ts";
import type { GitId } from "./port.ts";

export interface GitReader {
  /** Null: git has none. `unanswered`: it cannot say, or what it said is not that object. */
  read(id: GitId, sizeBytesMax: number): Promise<Answer>;
}

/** One child may end because another question of the same moment had too large an answer. */
const CHILDREN_PER_READ_MAX = 3;

export function buildGitReader(binary: GitBinary, gitDir: string): GitReader {
  let current: Conversation | null = null;

  const talk = (): Conversation => {
    if (current?.isOver() === false) return current;
    current = startConversation(binary, gitDir);
    return current;
  };

  return {
    read: async (id, sizeBytesMax) => {
      for (let children = 0; children < CHILDREN_PER_READ_MAX; children += 1) {
        const answer = await talk().ask(id, sizeBytesMax);
        if (answer !== "unanswered") return isObject(id, answer) ? answer : "unanswered";
      }
      return "unanswered";
    },
  };
}

function isObject(id: GitId, answer: Answer): boolean {
  return answer === null || typeof answer === "string" || objectIdOf(answer.type, answer.content) === id;
}
