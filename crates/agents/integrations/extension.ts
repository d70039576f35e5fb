// kraal's extension for {agent}: hands its events to the kraal session this runs in, and does
// nothing outside kraal. `kraal integration uninstall {agent}` takes it away.
import { spawn } from "node:child_process";

const EVENTS = ["session_start", "agent_start", "ui_prompt_start", "ui_prompt_end", "agent_settled", "session_shutdown"];

export default function (pi: any) {
  if (!process.env.KRAAL_SOCKET) return;
  const kraal = process.env.KRAAL_EXE || "kraal";

  const tell = (name: string, event: any, ctx: any) => {
    try {
      // Without its screen it is a run inside another program.
      if (ctx?.hasUI === false) return;
      const session = ctx?.sessionManager?.getSessionId?.();
      const payload = { session, reason: event?.reason, kind: event?.kind, aborted: event?.aborted, idle: ctx?.isIdle?.() };
      const child = spawn(kraal, ["hook", "{agent}", name], { stdio: ["pipe", "ignore", "ignore"] });
      child.on("error", () => {});
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
      child.unref();
    } catch {
      // The agent's turn is not to be disturbed.
    }
  };

  for (const name of EVENTS) {
    pi.on(name, async (event: any, ctx: any) => tell(name, event, ctx));
  }
}
