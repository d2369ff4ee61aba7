import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "context-mode";
const HOOK = "{hook}";
const SERVE = "{serve}";
// a package brings what it starts in its own folder
const PACKAGED = SERVE.startsWith(".");
const LIMIT_MS = Number("{limit_ms}");
const REPLY_MAX = 1 << 20;
const BELOW_HOME = /^(?:~|\{env:HOME\})\//;

/** A path of ours: whole, below the home in a project's files, in a package from the folder of this file. */
function placed(path) {
  if (BELOW_HOME.test(path)) return join(homedir(), path.replace(BELOW_HOME, ""));
  return resolve(dirname(fileURLToPath(import.meta.url)), path);
}

/** A program of ours, as it is started here: `.cmd` files need a shell. */
function start(program, args, options) {
  const path = placed(program);
  const posix = process.platform !== "win32";
  if (posix) return spawn(path, args, { ...options, detached: true });
  const line = [path, ...args].map((word) => `"${word}"`).join(" ");
  return spawn(process.env.ComSpec || "cmd.exe", ["/d", "/s", "/c", `"${line}"`], {
    ...options, windowsHide: true, windowsVerbatimArguments: true,
  });
}

/** Ends a program with all that it started. */
function end(child) {
  try {
    if (process.platform === "win32") child.kill();
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** The hook's answer to one event: an object, or nothing. */
function ask(event, payload, cwd = undefined) {
  return new Promise((done) => {
    let child;
    let timer;
    const finish = (answer) => {
      clearTimeout(timer);
      done(answer);
    };
    try {
      const text = JSON.stringify(payload);
      child = start(HOOK, [AGENT, event], { cwd, stdio: ["pipe", "pipe", "ignore"] });
      timer = setTimeout(() => {
        end(child);
        child.stdout.destroy();
        finish(undefined);
      }, LIMIT_MS);
      const parts = [];
      let size = 0;
      child.on("error", () => finish(undefined));
      child.stdin.on("error", () => {});
      child.stdout.on("error", () => {});
      child.stdout.on("data", (part) => {
        size += part.length;
        if (size <= REPLY_MAX) parts.push(part);
      });
      child.on("close", () => finish(size <= REPLY_MAX ? read(Buffer.concat(parts).toString("utf8")) : undefined));
      child.stdin.end(text);
    } catch {
      if (child) end(child);
      finish(undefined);
    }
  });
}

/** The object that a text holds, or nothing. */
function read(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
