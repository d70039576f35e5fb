// kraal's plugin for {agent}: hands its events to the kraal session this runs in, and does nothing
// outside kraal. `kraal integration uninstall {agent}` takes it away.
import { spawn } from "node:child_process";

const EVENTS = new Set([
  "session.created",
  "session.status",
  "session.idle",
  "session.error",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

export const KraalPlugin = async () => {
  if (!process.env.KRAAL_SOCKET) return {};
  const kraal = process.env.KRAAL_EXE || "kraal";
  // A subagent has a conversation of its own, whose beginning names its parent.
  const parents = new Map();

  const tell = (event, properties) => {
    try {
      const parentID = parents.get(properties.sessionID);
      const payload = { ...properties, parentID, kraal_pid: process.pid };
      const child = spawn(kraal, ["hook", "{agent}", event], { stdio: ["pipe", "ignore", "ignore"] });
      child.on("error", () => {});
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
      child.unref();
    } catch {
      // The agent's turn is not to be disturbed.
    }
  };

  return {
    event: async ({ event }) => {
      if (!EVENTS.has(event?.type)) return;
      const properties = { ...event.properties };
      const parent = properties.info?.parentID;
      if (parent) parents.set(properties.sessionID ?? properties.info.id, parent);
      properties.sessionID ??= properties.info?.id;
      // What a conversation is about is nobody's concern here.
      delete properties.info;
      tell(event.type, properties);
    },
  };
};
